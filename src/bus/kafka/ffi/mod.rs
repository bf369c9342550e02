//! The only unsafe code of Tideline: what the safe binding of librdkafka does not offer.
//!
//! [`admin`] issues the asynchronous questions of librdkafka's admin API and copies their answers out;
//! [`metadata`] asks whichever broker is up; [`consume`] reads records in batches, without a consumer group. Everything a broker wrote is copied as
//! bytes before it is looked at: the safe binding's conversions panic on text that is not UTF-8 and read
//! error codes as an enum, which an unknown code would break. Error codes are therefore plain integers here.
//!
//! Pointers never leave this module. What owns a C object frees it on drop.
#![expect(
    unsafe_code,
    reason = "this module wraps librdkafka's C API; see the SAFETY comment of each block"
)]

pub(super) mod admin;
pub(super) mod consume;
pub(super) mod metadata;
mod parse;

use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;
use std::sync::Arc;

use rdkafka::bindings as sys;
use rdkafka::consumer::{BaseConsumer, Consumer as _};

use super::context::Context;

/// A librdkafka error code: negative ones are its own, others come from a broker and may be any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Code(pub(super) i32);

impl Code {
    /// No error.
    pub(super) const NONE: Self = Self(0);
    /// librdkafka gave up waiting.
    pub(super) const TIMED_OUT: Self = Self(-185);
    /// The end of a partition is reached.
    pub(super) const PARTITION_EOF: Self = Self(-191);

    /// Ours alone: a broker's answer does not name this partition (librdkafka's "still in progress").
    pub(super) const NOT_NAMED: Self = Self(-178);

    /// Whether it stands for success.
    pub(super) fn is_ok(self) -> bool {
        self == Self::NONE
    }

    /// librdkafka's own description.
    pub(super) fn describe(self) -> String {
        // SAFETY: rd_kafka_err2str takes any integer (librdkafka bounds-checks it) and returns a static or
        // thread-local NUL-terminated string, copied at once.
        unsafe { text(raw::rd_kafka_err2str(self.0)) }
    }
}

/// A client together with everything that must not outlive it.
#[derive(Clone)]
pub(super) struct Client(pub(super) Arc<BaseConsumer<Context>>);

impl Client {
    /// What it told by itself.
    pub(super) fn context(&self) -> &Context {
        self.0.client().context()
    }

    fn ptr(&self) -> *mut sys::rd_kafka_t {
        self.0.client().native_ptr()
    }
}

/// A queue of events or messages. Holds its client, which must outlive it.
pub(super) struct Queue {
    ptr: NonNull<sys::rd_kafka_queue_t>,
    _client: Client,
}

// SAFETY: librdkafka's queues are locked inside and may be used from any thread (rdkafka.h: "thread-safe").
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    /// A new queue of `client`; `None` when librdkafka could not make one.
    pub(super) fn new(client: &Client) -> Option<Self> {
        // SAFETY: the client is alive, held by `client`.
        let ptr = unsafe { sys::rd_kafka_queue_new(client.ptr()) };
        NonNull::new(ptr).map(|ptr| Self {
            ptr,
            _client: client.clone(),
        })
    }

    /// Makes whoever waits for this queue look up at once.
    pub(super) fn wake(&self) {
        // SAFETY: the queue is alive; librdkafka allows this from any thread.
        unsafe { sys::rd_kafka_queue_yield(self.ptr()) }
    }

    fn ptr(&self) -> *mut sys::rd_kafka_queue_t {
        self.ptr.as_ptr()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: the pointer came from rd_kafka_queue_new and is freed once; the client is still alive.
        unsafe { sys::rd_kafka_queue_destroy(self.ptr()) }
    }
}

/// Functions whose error codes the generated binding reads as an enum, declared with plain integers.
mod raw {
    use super::{c_char, c_int, sys};

    unsafe extern "C" {
        pub(super) fn rd_kafka_err2str(code: c_int) -> *const c_char;
        pub(super) fn rd_kafka_error_code(error: *const sys::rd_kafka_error_t) -> c_int;
        pub(super) fn rd_kafka_event_error(event: *mut sys::rd_kafka_event_t) -> c_int;
        pub(super) fn rd_kafka_ConfigResource_error(
            resource: *const sys::rd_kafka_ConfigResource_t,
        ) -> c_int;
    }
}

/// A C string as text, with U+FFFD for what is not UTF-8; empty for null.
///
/// # Safety
/// `ptr` is null or points to a NUL-terminated string that lives through the call.
unsafe fn text(ptr: *const c_char) -> String {
    // SAFETY: promised by the caller.
    unsafe { bytes(ptr) }.map_or_else(String::new, |bytes| {
        String::from_utf8_lossy(bytes).into_owned()
    })
}

/// The bytes of a C string; `None` for null.
///
/// # Safety
/// `ptr` is null or points to a NUL-terminated string that lives for `'a`.
unsafe fn bytes<'a>(ptr: *const c_char) -> Option<&'a [u8]> {
    if ptr.is_null() {
        return None;
    }
    // SAFETY: not null, and the rest is promised by the caller.
    Some(unsafe { CStr::from_ptr(ptr) }.to_bytes())
}

/// A C array of pointers as a slice; empty for null.
///
/// # Safety
/// `ptr` is null or points to `len` pointers that live for `'a`.
unsafe fn pointers<'a, T>(ptr: *mut *const T, len: usize) -> &'a [*const T] {
    if ptr.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: not null, and the rest is promised by the caller.
    unsafe { std::slice::from_raw_parts(ptr, len) }
}
