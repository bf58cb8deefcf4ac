//! What needs a real server and a client.
