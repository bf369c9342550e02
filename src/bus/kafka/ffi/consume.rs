//! Reading records in batches through librdkafka's simple consumer, which needs no group and leaves no trace.

use std::ffi::{CString, c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use rdkafka::bindings as sys;

use crate::model::{Header, Text, TimestampMs, TimestampType};

use super::{Client, Code, Queue};

/// A topic as a client knows it. Holds its client, which must outlive it.
pub(in crate::bus::kafka) struct TopicHandle {
    ptr: NonNull<sys::rd_kafka_topic_t>,
    client: Client,
}

// SAFETY: topic objects are reference-counted and locked inside librdkafka.
unsafe impl Send for TopicHandle {}

impl TopicHandle {
    /// A handle on `topic`; `None` when librdkafka refuses the name.
    pub(in crate::bus::kafka) fn new(client: &Client, topic: &CString) -> Option<Self> {
        // SAFETY: the client is alive and the name a valid C string; a null configuration means the client's own.
        let ptr = unsafe { sys::rd_kafka_topic_new(client.ptr(), topic.as_ptr(), ptr::null_mut()) };
        NonNull::new(ptr).map(|ptr| Self {
            ptr,
            client: client.clone(),
        })
    }

    /// Makes the client learn who leads the topic's partitions, waiting up to `wait`; without it the first
    /// record of a new topic comes half a second late.
    pub(in crate::bus::kafka) fn learn_leaders(&self, wait: Duration) {
        let mut metadata = ptr::null();
        // SAFETY: the client and the topic are alive; the answer is freed at once. Whether it succeeded does
        // not matter: the client asks again by itself.
        unsafe {
            sys::rd_kafka_metadata(
                self.client.ptr(),
                0,
                self.ptr.as_ptr(),
                &raw mut metadata,
                millis(wait),
            );
            if !metadata.is_null() {
                sys::rd_kafka_metadata_destroy(metadata);
            }
        }
    }

    /// Begins to fetch `partition` from `offset` into `queue`; `false` when it is not possible.
    pub(in crate::bus::kafka) fn start(&self, partition: i32, offset: i64, queue: &Queue) -> bool {
        // SAFETY: topic and queue are alive.
        unsafe {
            sys::rd_kafka_consume_start_queue(self.ptr.as_ptr(), partition, offset, queue.ptr())
                == 0
        }
    }

    /// Stops fetching `partition` and drops what waits of it in the queue.
    pub(in crate::bus::kafka) fn stop(&self, partition: i32) {
        // SAFETY: the topic is alive; stopping what was not started is refused by librdkafka without harm.
        unsafe {
            sys::rd_kafka_consume_stop(self.ptr.as_ptr(), partition);
        }
    }
}

impl Drop for TopicHandle {
    fn drop(&mut self) {
        // SAFETY: the handle came from rd_kafka_topic_new and is freed once; the client is still alive.
        unsafe { sys::rd_kafka_topic_destroy(self.ptr.as_ptr()) }
    }
}

/// A topic as messages name it: equal for the same topic of the same client, and nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::bus::kafka) struct TopicMark(usize);

/// A message that still lies in librdkafka's memory: a record, or an event of its partition.
pub(in crate::bus::kafka) struct Seen<'a> {
    /// Not a reference, because the message's code need not be one that the binding's enum knows.
    message: NonNull<sys::rd_kafka_message_t>,
    alive: PhantomData<&'a sys::rd_kafka_message_t>,
}

impl Seen<'_> {
    /// Which topic it belongs to.
    pub(in crate::bus::kafka) fn topic(&self) -> TopicMark {
        TopicMark(self.rkt().addr())
    }

    fn rkt(&self) -> *mut sys::rd_kafka_topic_t {
        // SAFETY: the message is alive.
        unsafe { (*self.message.as_ptr()).rkt }
    }

    /// That topic's name.
    pub(in crate::bus::kafka) fn topic_name(&self) -> Text {
        // SAFETY: the message holds its topic, which was checked not to be null.
        let name = unsafe { super::bytes(sys::rd_kafka_topic_name(self.rkt())) };
        Text::from_bytes(name.unwrap_or_default())
    }

    pub(in crate::bus::kafka) fn partition(&self) -> i32 {
        // SAFETY: the message is alive.
        unsafe { (*self.message.as_ptr()).partition }
    }

    pub(in crate::bus::kafka) fn offset(&self) -> i64 {
        // SAFETY: the message is alive.
        unsafe { (*self.message.as_ptr()).offset }
    }

    /// Whether it is a record; else the code says what it is.
    pub(in crate::bus::kafka) fn is_record(&self) -> Result<(), Code> {
        // SAFETY: the code is read as the integer it is, which the binding's enum need not know.
        let code = Code(unsafe {
            (&raw const (*self.message.as_ptr()).err)
                .cast::<c_int>()
                .read()
        });
        if code.is_ok() { Ok(()) } else { Err(code) }
    }

    /// A record's key.
    pub(in crate::bus::kafka) fn key(&self) -> Option<&[u8]> {
        // SAFETY: null, or as many bytes as the length says, which live as long as the message.
        unsafe {
            let message = self.message.as_ptr();
            slice((*message).key, (*message).key_len)
        }
    }

    /// A record's value; of what is no record, a text about it.
    pub(in crate::bus::kafka) fn value(&self) -> Option<&[u8]> {
        // SAFETY: as for the key.
        unsafe {
            let message = self.message.as_ptr();
            slice((*message).payload, (*message).len)
        }
    }

    /// How many bytes the names and values of a record's headers have.
    pub(in crate::bus::kafka) fn headers_len(&self) -> usize {
        let mut bytes: usize = 0;
        // SAFETY: the message is alive and a record.
        unsafe {
            each_header(self.message.as_ptr(), |name, value| {
                bytes = bytes
                    .saturating_add(name.len())
                    .saturating_add(value.map_or(0, <[u8]>::len));
            });
        }
        bytes
    }

    /// A record's time, if it carries one.
    pub(in crate::bus::kafka) fn timestamp(&self) -> Option<TimestampMs> {
        self.time_and_type().0
    }

    fn time_and_type(&self) -> (Option<TimestampMs>, Option<TimestampType>) {
        let mut time_type = sys::rd_kafka_timestamp_type_t::RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
        // SAFETY: the message is alive.
        let time =
            unsafe { sys::rd_kafka_message_timestamp(self.message.as_ptr(), &raw mut time_type) };
        let time_type = match time_type {
            sys::rd_kafka_timestamp_type_t::RD_KAFKA_TIMESTAMP_CREATE_TIME => {
                Some(TimestampType::CreateTime)
            }
            sys::rd_kafka_timestamp_type_t::RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME => {
                Some(TimestampType::LogAppendTime)
            }
            sys::rd_kafka_timestamp_type_t::RD_KAFKA_TIMESTAMP_NOT_AVAILABLE => None,
        };
        // The protocol's −1 stands for a record without a time.
        ((time != -1).then_some(TimestampMs(time)), time_type)
    }

    /// The record, copied.
    pub(in crate::bus::kafka) fn copied(&self) -> FetchedRecord {
        let (timestamp, timestamp_type) = self.time_and_type();
        let (key, value) = (self.key(), self.value());
        // One buffer for both, so that a record costs one allocation.
        let mut buffer = BytesMut::with_capacity(
            key.map_or(0, <[u8]>::len)
                .saturating_add(value.map_or(0, <[u8]>::len)),
        );
        let mut keep = |bytes: Option<&[u8]>| {
            bytes.map(|bytes| {
                buffer.extend_from_slice(bytes);
                buffer.split().freeze()
            })
        };
        let (key, value) = (keep(key), keep(value));
        // SAFETY: the message is alive and a record.
        let (epoch, headers) = unsafe {
            (
                sys::rd_kafka_message_leader_epoch(self.message.as_ptr()),
                copy_headers(self.message.as_ptr()),
            )
        };
        FetchedRecord {
            timestamp,
            timestamp_type,
            key,
            value,
            headers,
            leader_epoch: (epoch >= 0).then_some(epoch),
        }
    }
}

/// What a record holds.
#[derive(Debug)]
pub(in crate::bus::kafka) struct FetchedRecord {
    pub(in crate::bus::kafka) timestamp: Option<TimestampMs>,
    pub(in crate::bus::kafka) timestamp_type: Option<TimestampType>,
    pub(in crate::bus::kafka) key: Option<Bytes>,
    pub(in crate::bus::kafka) value: Option<Bytes>,
    pub(in crate::bus::kafka) headers: Vec<Header>,
    pub(in crate::bus::kafka) leader_epoch: Option<i32>,
}

/// Room for the messages of one batch, reused from call to call.
pub(in crate::bus::kafka) struct Batch {
    messages: Vec<*mut sys::rd_kafka_message_t>,
}

// SAFETY: between calls the buffer holds null pointers only.
unsafe impl Send for Batch {}

impl Batch {
    /// Room for `size` messages.
    pub(in crate::bus::kafka) fn new(size: usize) -> Self {
        Self {
            messages: vec![ptr::null_mut(); size],
        }
    }

    /// Takes what waits in `queue`, waiting up to `wait` for the batch to fill, and shows each message to
    /// `each`. Returns how many there were.
    pub(in crate::bus::kafka) fn take(
        &mut self,
        queue: &Queue,
        wait: Duration,
        mut each: impl FnMut(&Seen<'_>),
    ) -> usize {
        // SAFETY: the queue is alive and the buffer has room for `len` pointers. Each message returned is ours:
        // it is looked at while it lives and freed once, and its pointer cleared.
        unsafe {
            let count = sys::rd_kafka_consume_batch_queue(
                queue.ptr(),
                millis(wait),
                self.messages.as_mut_ptr(),
                self.messages.len(),
            );
            let count = usize::try_from(count).unwrap_or(0);
            for slot in self.messages.iter_mut().take(count) {
                let raw = std::mem::replace(slot, ptr::null_mut());
                let Some(message) = NonNull::new(raw) else {
                    continue;
                };
                if !(*raw).rkt.is_null() {
                    each(&Seen {
                        message,
                        alive: PhantomData,
                    });
                }
                sys::rd_kafka_message_destroy(raw);
            }
            count
        }
    }
}

/// # Safety
/// `message` is a live message without an error.
unsafe fn copy_headers(message: *const sys::rd_kafka_message_t) -> Vec<Header> {
    let mut headers = Vec::new();
    // SAFETY: as the caller's.
    unsafe {
        each_header(message, |name, value| {
            headers.push(Header {
                name: Text::from_bytes(name),
                value: value.map(Bytes::copy_from_slice),
            });
        });
    }
    headers
}

/// Shows the name and the value of each header.
///
/// # Safety
/// `message` is a live message without an error.
unsafe fn each_header(
    message: *const sys::rd_kafka_message_t,
    mut each: impl FnMut(&[u8], Option<&[u8]>),
) {
    // SAFETY: the headers belong to the message; name and value live as long as it does.
    unsafe {
        let mut list = ptr::null_mut();
        // The result only tells whether there are headers; the pointer stays null when there are none.
        let _absent = sys::rd_kafka_message_headers(message, &raw mut list);
        if list.is_null() {
            return;
        }
        for index in 0..sys::rd_kafka_header_cnt(list) {
            let (mut name, mut value, mut size) = (ptr::null(), ptr::null(), 0);
            let _code = sys::rd_kafka_header_get_all(
                list,
                index,
                &raw mut name,
                &raw mut value,
                &raw mut size,
            );
            let Some(name) = super::bytes(name) else {
                continue;
            };
            each(name, slice(value.cast_mut(), size));
        }
    }
}

/// # Safety
/// `ptr` is null or points to `len` bytes that live for `'a`.
unsafe fn slice<'a>(ptr: *mut c_void, len: usize) -> Option<&'a [u8]> {
    if ptr.is_null() {
        return None;
    }
    // SAFETY: not null, and the rest is promised by the caller.
    Some(unsafe { std::slice::from_raw_parts(ptr.cast::<u8>().cast_const(), len) })
}

fn millis(wait: Duration) -> c_int {
    c_int::try_from(wait.as_millis()).unwrap_or(c_int::MAX)
}
