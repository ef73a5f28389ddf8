//! `@ytt:ip`: addresses and networks.

use super::object::Object;
use super::{function, no_arguments, one, string_argument};
use crate::script::{Args, Error, Module, Result, Value};
use std::net::{IpAddr, Ipv6Addr};

/// The module.
pub fn module() -> Value {
    Module::new(
        "ip",
        vec![
            (
                "parse_addr",
                function("ip.parse_addr", |_, args| parse_addr(&args)),
            ),
            (
                "parse_cidr",
                function("ip.parse_cidr", |_, args| parse_cidr(&args)),
            ),
        ],
    )
}

fn parse_addr(args: &Args) -> Result<Value> {
    let text = string_argument(one(args)?)?;
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(address_value(address)),
        Err(_) => Err(Error::new(format!("invalid IP address: {text}"))),
    }
}

fn parse_cidr(args: &Args) -> Result<Value> {
    let text = string_argument(one(args)?)?;
    match network(&text) {
        Some((address, network)) => Ok(Value::tuple(vec![
            address_value(address),
            network_value(network),
        ])),
        None => Err(Error::new(format!("invalid CIDR address: {text}"))),
    }
}

/// An address, as Go prints it: IPv4 within IPv6 is IPv4.
fn address_value(address: IpAddr) -> Value {
    let address = address.to_canonical();
    Object::new(
        "@ytt:ip.addr",
        vec![
            (
                "is_ipv4",
                property("ip.addr.is_ipv4", address.is_ipv4().into()),
            ),
            (
                "is_ipv6",
                property("ip.addr.is_ipv6", address.is_ipv6().into()),
            ),
            (
                "string",
                property("ip.addr.string", address.to_string().into()),
            ),
        ],
    )
}

fn network_value((address, bits): (IpAddr, u32)) -> Value {
    Object::new(
        "@ytt:ip.net",
        vec![
            ("addr", property("ip.net.addr", address_value(address))),
            (
                "string",
                property("ip.net.string", format!("{address}/{bits}").into()),
            ),
        ],
    )
}

/// A function without arguments that always gives the same.
fn property(name: &'static str, value: Value) -> Value {
    function(name, move |_, args| {
        no_arguments(&args)?;
        Ok(value.clone())
    })
}

/// The address of `ADDRESS/BITS`, and the network: its first address and its bits.
fn network(text: &str) -> Option<(IpAddr, (IpAddr, u32))> {
    let (address, bits) = text.split_once('/')?;
    if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let address: IpAddr = address.parse().ok()?;
    let bits: u32 = bits.parse().ok()?;
    let masked = match address {
        IpAddr::V4(address) => {
            let host = 32u32.checked_sub(bits)?;
            let mask = u32::MAX.checked_shl(host).unwrap_or(0);
            return Some((
                address.into(),
                (IpAddr::V4((address.to_bits() & mask).into()), bits),
            ));
        }
        IpAddr::V6(address) => {
            let host = 128u32.checked_sub(bits)?;
            address.to_bits() & u128::MAX.checked_shl(host).unwrap_or(0)
        }
    };
    // A network of IPv4 within IPv6 is one of IPv4, while its bits still say so.
    let first = Ipv6Addr::from_bits(masked);
    let bits = match first.to_ipv4_mapped() {
        Some(_) => bits.saturating_sub(96),
        None => bits,
    };
    Some((address, (IpAddr::V6(first).to_canonical(), bits)))
}
