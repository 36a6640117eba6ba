//! The services as processes of their own, on loopback ports.
