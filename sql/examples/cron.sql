-- A stand-in for the table in which pg_cron keeps its runs, so that docs/guide/scheduling.md can be run where there is no
-- pg_cron. Do not run it where pg_cron is installed, or will be.

CREATE SCHEMA cron;
CREATE TABLE cron.job_run_details (jobid bigint, runid bigint, job_pid integer, database text, username text, command text,
  status text, return_message text, start_time timestamptz, end_time timestamptz);
