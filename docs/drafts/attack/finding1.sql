-- fresh database; no row changes between the versions of a release
create extension pg_topdown;
create table t(id int, dn numeric, sens text);
insert into t select i, case when i<=6 then '1' when i<=8 then '1.0' else '3.5' end::numeric, case when i in (7,8) then 'same' else 'i'||i%3 end from generate_series(1,14) i;
\echo -- a: numeric by_prefix {1}: silent
select tds_anonymize('t','rel',ARRAY[k_anonymity('{dn}',2),l_diversity('{dn}','sens',1)], masking=>by_prefix('dn','{1}'))->>'version';
select 'v1', dn, count(*), count(distinct sens) from rel.t group by dn order by 2;
select release_alter('rel', privacy=>ARRAY[k_anonymity('{dn}',6), l_diversity('{dn}','sens',3)])->>'rows';
select 'v2', dn, count(*) from rel.t group by dn order by 2;
\echo -- control: lengths 1,3
select tds_anonymize('t','rel2',ARRAY[k_anonymity('{dn}',2),l_diversity('{dn}','sens',1)], masking=>by_prefix('dn','{1,3}'))->>'version';
select 'v1', dn, count(*), count(distinct sens) from rel2.t group by dn order by 2;
select release_alter('rel2', privacy=>ARRAY[k_anonymity('{dn}',6), l_diversity('{dn}','sens',3)])->>'rows';
\echo -- b: composed and decomposed e acute, nondeterministic collation: silent
create collation ci (provider=icu, locale='und', deterministic=false);
create table u(id int, n text collate ci);
insert into u select i, case when i<=6 then U&'\00e9' when i<=8 then U&'e\0301' else 'xy' end from generate_series(1,14) i;
select tds_anonymize('u','rel4',k_anonymity('{n}',2), masking=>by_prefix('n','{1}'))->>'version';
select 'v1', n, count(*) from rel4.u group by n;
select release_alter('rel4', privacy=>k_anonymity('{n}',6))->>'rows';
\echo -- c: float 0 and -0: silent
create table f(id int, n float8);
insert into f select i, case when i<=6 then '0' when i<=8 then '-0' else '3.5' end::float8 from generate_series(1,14) i;
select tds_anonymize('f','rel5',k_anonymity('{n}',2), masking=>by_prefix('n','{1}'))->>'version';
select 'v1', n, count(*) from rel5.f group by n;
select release_alter('rel5', privacy=>k_anonymity('{n}',6))->>'rows';
\echo -- d: rewritten to an equal value: 1.0 was called 1**, and now is 1
create table g as select i id, (case when i<=6 then '1.0' else '3.5' end)::numeric dn from generate_series(1,14) i;
select tds_anonymize('g','rel7',k_anonymity('{dn}',2), masking=>by_prefix('dn','{1}'))->>'version';
select 'v1', dn, count(*) from rel7.g group by dn;
update g set dn = 1 where dn = 1;
select release_alter('rel7', privacy=>k_anonymity('{dn}',7))->>'rows';
\echo -- d control: lengths 1,3
update g set dn = 1.0 where dn = 1;
select tds_anonymize('g','rel8',k_anonymity('{dn}',2), masking=>by_prefix('dn','{1,3}'))->>'version';
update g set dn = 1 where dn = 1;
select release_alter('rel8', privacy=>k_anonymity('{dn}',7))->>'rows';
