//! Addresses by the length of their network: 10.1.2.3 -> 10.1.2.0/24 -> 10.0.0.0/8 -> top.
//!
//! A value with a network length of its own has a node for each kept length up to its own. If a longer length is kept,
//! the value also has a leaf below these nodes, with its own length. The leaf shows no more bits of the address than
//! the longest kept length. A whole address is shown without a length.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Address with the length of its network, which by default is that of the whole address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    address: IpAddr,
    length: u32,
}

/// Default kept lengths for addresses of version 4.
pub const LENGTHS_4: [u32; 4] = [8, 16, 24, 32];
/// Default kept lengths for addresses of version 6.
pub const LENGTHS_6: [u32; 5] = [16, 32, 48, 64, 128];

impl Address {
    /// Parses an address such as 10.1.2.3 or 10.1.2.0/24.
    pub fn parse(text: &str) -> Option<Address> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let whole = bits(&address);
        let length = length.unwrap_or(whole);
        (length <= whole).then_some(Address { address, length })
    }

    /// Returns the label of the address at a level; level 1 is the coarsest, just below the top. `lengths` are the
    /// kept ones, ascending; None for the default of the version. Returns None below the leaf of the address.
    pub fn label(&self, lengths: Option<&[u32]>, level: usize) -> Option<String> {
        let lengths = self.kept_lengths(lengths);
        let kept = *lengths.get(level - 1)?;
        if kept <= self.length {
            return Some(address_label(self.truncated_to(kept), kept));
        }
        // The value's own leaf is just below the longest kept network that it lies in, unless this is the whole
        // address.
        let above = level.checked_sub(2).map(|above| lengths[above]);
        let is_leaf = above.is_none_or(|above| above <= self.length && above < bits(&self.address));
        is_leaf.then(|| address_label(self.truncated_to(lengths[lengths.len() - 1]), self.length))
    }

    /// Returns whether the leaf shows all bits of the address.
    pub fn is_whole(&self, lengths: Option<&[u32]>) -> bool {
        let longest = self.kept_lengths(lengths).last().copied().unwrap_or(0);
        self.length <= longest && self.truncated_to(longest) == self.address
    }

    /// Returns the last address of the network.
    pub fn last_address(&self) -> IpAddr {
        self.with_rest(self.length, true)
    }

    /// Returns the kept lengths: those given, or the default of the version.
    fn kept_lengths<'a>(&self, given: Option<&'a [u32]>) -> &'a [u32] {
        given.unwrap_or(if self.address.is_ipv4() { &LENGTHS_4 } else { &LENGTHS_6 })
    }

    /// Returns the address with only the first `kept` bits, followed by zeros.
    fn truncated_to(&self, kept: u32) -> IpAddr {
        self.with_rest(kept, false)
    }

    /// Returns the address with ones or zeros in place of the bits after the first `kept`.
    fn with_rest(&self, kept: u32, ones: bool) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let rest = Ipv4Addr::from_bits(u32::MAX.checked_shr(kept).unwrap_or(0));
                if ones { address | rest } else { address & !rest }.into()
            }
            IpAddr::V6(address) => {
                let rest = Ipv6Addr::from_bits(u128::MAX.checked_shr(kept).unwrap_or(0));
                if ones { address | rest } else { address & !rest }.into()
            }
        }
    }
}

/// Returns the number of bits of a whole address.
fn bits(address: &IpAddr) -> u32 {
    if address.is_ipv4() {
        32
    } else {
        128
    }
}

fn address_label(address: IpAddr, length: u32) -> String {
    if length == bits(&address) {
        address.to_string()
    } else {
        format!("{address}/{length}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(address: &str, lengths: Option<&[u32]>) -> Vec<String> {
        let address = Address::parse(address).unwrap();
        (1..).map_while(|level| address.label(lengths, level)).collect()
    }

    #[test]
    fn an_address_of_either_version() {
        assert_eq!(path("10.1.2.3", None), ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "10.1.2.3"]);
        assert_eq!(path("10.1.2.3", Some(&[8, 24])), ["10.0.0.0/8", "10.1.2.0/24"]);
        assert_eq!(path("10.1.2.3", Some(&[20, 64])), ["10.1.0.0/20", "10.1.2.3"]);
        let six = ["2001::/16", "2001:db8::/32", "2001:db8:1::/48", "2001:db8:1:2::/64", "2001:db8:1:2::3"];
        assert_eq!(path("2001:db8:1:2::3", None), six);
        assert_eq!(path("2001:db8:1:2::3", Some(&[24])), ["2001:d00::/24"]);
    }

    #[test]
    fn a_network_is_its_own_leaf() {
        let net = ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "10.1.2.0/24"];
        assert_eq!(path("10.1.2.0/24", None), net);
        assert_eq!(path("10.1.2.0/24", Some(&[8, 24])), ["10.0.0.0/8", "10.1.2.0/24"]);
        assert_eq!(path("10.1.2.3/20", None), ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.3/20"]);
        assert_eq!(path("10.1.2.3/20", Some(&[24, 32, 40])), ["10.1.2.3/20"]);
        assert_eq!(path("10.1.2.3/20", Some(&[24])), ["10.1.2.0/20"]);
        assert_eq!(path("10.1.2.19/24", Some(&[8, 28])), ["10.0.0.0/8", "10.1.2.16/24"]);
        assert_eq!(path("2001:db8::1:2/64", Some(&[32, 112])), ["2001:db8::/32", "2001:db8::1:0/64"]);
        assert_eq!(path("2001:db8::1:2/120", Some(&[112, 128])), ["2001:db8::1:0/112", "2001:db8::1:2/120"]);
        assert_eq!(path("0.0.0.0/0", None), ["0.0.0.0/0"]);
        assert_eq!(path("10.1.2.3/20", Some(&[20])), ["10.1.0.0/20"]);
    }

    #[test]
    fn a_whole_address() {
        let is_whole =
            |address: &str, lengths: &[u32]| Address::parse(address).unwrap().is_whole(Some(lengths));
        let whole =
            [("10.1.2.3", 32), ("10.1.2.3", 128), ("10.1.2.0/24", 24), ("10.1.2.3/20", 32), ("::1", 128)];
        let truncated =
            [("10.1.2.0", 24), ("10.1.2.3/24", 24), ("10.1.2.3/20", 24), ("2001:db8::1:2/64", 112)];
        assert!(whole.iter().all(|&(address, longest)| is_whole(address, &[8, longest])));
        assert!(!truncated.iter().any(|&(address, longest)| is_whole(address, &[8, longest])));
        assert!(Address::parse("::1").unwrap().is_whole(None));
    }

    #[test]
    fn networks_keep_the_first_bits() {
        let bits = |text: &str| match text.split('/').next().unwrap().parse::<IpAddr>().unwrap() {
            IpAddr::V4(a) => format!("{:032b}", a.to_bits()),
            IpAddr::V6(a) => format!("{:0128b}", a.to_bits()),
        };
        for address in ["255.173.90.165", "ff5a:a5ff:1:abcd:8000:ffff:5aa5:f00f"] {
            let of_address = bits(address);
            let all: Vec<u32> = (1..=of_address.len() as u32).collect();
            let networks = path(address, Some(&all));
            assert_eq!(networks.len(), all.len());
            for (length, network) in all.into_iter().zip(networks) {
                let (kept, rest) = of_address.split_at(length as usize);
                assert_eq!(bits(&network), format!("{kept}{}", "0".repeat(rest.len())), "{network}");
            }
        }
    }

    #[test]
    fn the_last_address() {
        let last = |text: &str| Address::parse(text).unwrap().last_address().to_string();
        assert_eq!(last("10.1.2.0/24"), "10.1.2.255");
        assert_eq!(last("10.1.2.3/20"), "10.1.15.255");
        assert_eq!(last("10.1.2.3"), "10.1.2.3");
        assert_eq!(last("0.0.0.0/0"), "255.255.255.255");
        assert_eq!(last("2001:db8::/32"), "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff");
        assert_eq!(last("::1"), "::1");
    }

    #[test]
    fn invalid_addresses_are_refused() {
        for text in ["", "10.1.2", "10.1.2.3/33", "10.1.2.3/x", "::/129", "10.1.2.3/"] {
            assert_eq!(Address::parse(text), None, "{text}");
        }
    }
}
