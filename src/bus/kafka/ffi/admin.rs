//! The admin API: asynchronous questions, answered through one queue.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::{self, NonNull};
use std::time::Duration;

use rdkafka::bindings as sys;
use sys::rd_kafka_admin_op_t as op;

use crate::model::{
    BrokerId, Cluster, GroupListing, GroupMembers, Isolation, Text, Topic, TopicName,
};

use super::{Client, Code, Queue, parse, raw, text};

/// A question to the cluster. Names with a NUL byte cannot be asked through librdkafka and are left to
/// the caller to refuse.
#[derive(Clone, Debug)]
pub(in crate::bus::kafka) enum Question {
    /// The cluster and its brokers.
    Cluster,
    /// These topics.
    Topics(Vec<CString>),
    /// The settings of these topics.
    TopicConfigs(Vec<CString>),
    /// Offsets: topic, partition and the protocol's time (−1 end, −2 start, −3 largest time, else milliseconds);
    /// each partition at most once.
    Offsets(Vec<(CString, i32, i64)>, Isolation),
    /// The classic and consumer groups.
    Groups,
    /// Who is in this group.
    Members(CString),
    /// Everything this group has committed.
    Commits(CString),
    /// Commits for this group, as nobody's member; each partition at most once, no offset below 0.
    SetCommits(CString, Vec<NewCommit>),
    /// Deletes what this group has committed in these partitions.
    DeleteCommits(CString, Vec<(CString, i32)>),
}

/// What is to be committed in one partition.
#[derive(Clone, Debug)]
pub(in crate::bus::kafka) struct NewCommit {
    pub(in crate::bus::kafka) topic: CString,
    pub(in crate::bus::kafka) partition: i32,
    pub(in crate::bus::kafka) offset: i64,
    /// −1 for none.
    pub(in crate::bus::kafka) leader_epoch: i32,
    pub(in crate::bus::kafka) metadata: Text,
}

/// What a question got. Each part carries its own error code and librdkafka's words for it.
#[derive(Debug)]
pub(in crate::bus::kafka) enum Answer {
    /// The question as a whole failed.
    Failed(Failure),
    /// To `Cluster`.
    Cluster(Cluster),
    /// To `Topics`.
    Topics(Vec<(TopicName, Result<Topic, Failure>)>),
    /// To `TopicConfigs`: name and value of each setting.
    TopicConfigs(Vec<(Text, Result<Settings, Failure>)>),
    /// To `Offsets`.
    Offsets(Vec<FoundOffset>),
    /// To `Groups`.
    Groups(Vec<GroupListing>, Vec<Failure>),
    /// To `Members`.
    Members(Result<GroupMembers, Failure>),
    /// To `Commits`.
    Commits(Result<Vec<FoundCommit>, Failure>),
    /// To `SetCommits` and `DeleteCommits`: what became of each partition that the broker names.
    Changed(Result<Vec<Outcome>, Failure>),
}

/// Names and values of settings; a sensitive one has no value.
pub(in crate::bus::kafka) type Settings = Vec<(String, Option<String>)>;

/// An error code and librdkafka's words for it, which may name addresses but hold no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bus::kafka) struct Failure {
    pub(in crate::bus::kafka) code: Code,
    pub(in crate::bus::kafka) words: String,
}

/// An offset that was looked up.
#[derive(Debug)]
pub(in crate::bus::kafka) struct FoundOffset {
    pub(in crate::bus::kafka) topic: Text,
    pub(in crate::bus::kafka) partition: i32,
    pub(in crate::bus::kafka) offset: i64,
    pub(in crate::bus::kafka) timestamp: i64,
    pub(in crate::bus::kafka) code: Code,
}

/// A committed offset.
#[derive(Debug)]
pub(in crate::bus::kafka) struct FoundCommit {
    pub(in crate::bus::kafka) topic: Text,
    pub(in crate::bus::kafka) partition: i32,
    pub(in crate::bus::kafka) offset: i64,
    pub(in crate::bus::kafka) leader_epoch: i32,
    pub(in crate::bus::kafka) metadata: Text,
    pub(in crate::bus::kafka) code: Code,
}

/// What became of one partition of a change.
#[derive(Debug)]
pub(in crate::bus::kafka) struct Outcome {
    pub(in crate::bus::kafka) topic: Text,
    pub(in crate::bus::kafka) partition: i32,
    /// [`Code::NOT_NAMED`] when the broker does not say.
    pub(in crate::bus::kafka) code: Code,
}

impl Question {
    fn op(&self) -> op {
        match self {
            Self::Cluster => op::RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER,
            Self::Topics(_) => op::RD_KAFKA_ADMIN_OP_DESCRIBETOPICS,
            Self::TopicConfigs(_) => op::RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS,
            Self::Offsets(..) => op::RD_KAFKA_ADMIN_OP_LISTOFFSETS,
            Self::Groups => op::RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS,
            Self::Members(_) => op::RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS,
            Self::Commits(_) => op::RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS,
            Self::SetCommits(..) => op::RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS,
            Self::DeleteCommits(..) => op::RD_KAFKA_ADMIN_OP_DELETECONSUMERGROUPOFFSETS,
        }
    }

    /// Whether any broker can answer it.
    pub(in crate::bus::kafka) fn goes_to_any(&self) -> bool {
        matches!(
            self,
            Self::Cluster | Self::Topics(_) | Self::TopicConfigs(_)
        )
    }

    /// Whether it goes to a group's coordinator. Such a question must not be left to time out inside a
    /// client that lives on: when the coordinator comes back, librdkafka 2.12 aborts the process
    /// (librdkafka issue 4605).
    pub(in crate::bus::kafka) fn goes_to_coordinator(&self) -> bool {
        matches!(
            self,
            Self::Members(_) | Self::Commits(_) | Self::SetCommits(..) | Self::DeleteCommits(..)
        )
    }
}

/// Sends `question`, to `broker` when one is named and the question has no place of its own to go to; its answer comes from [`next_answer`] on the same queue with the same `id`.
///
/// # Errors
/// librdkafka could not take it.
pub(in crate::bus::kafka) fn ask(
    client: &Client,
    queue: &Queue,
    id: usize,
    question: &Question,
    timeout: Duration,
    broker: Option<BrokerId>,
) -> Result<(), Failure> {
    let options = Options::new(client, question.op(), id, timeout)?;
    if let Some(broker) = broker {
        options.set_broker(broker);
    }
    let (rk, queue) = (client.ptr(), queue.ptr());
    match question {
        Question::Cluster => {
            // SAFETY: client, options and queue are alive; librdkafka copies the options.
            unsafe { sys::rd_kafka_DescribeCluster(rk, options.ptr(), queue) }
        }
        Question::Groups => {
            // SAFETY: as above.
            unsafe { sys::rd_kafka_ListConsumerGroups(rk, options.ptr(), queue) }
        }
        Question::Topics(names) => {
            let mut names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
            // SAFETY: the array holds `len` valid C strings; librdkafka copies them into the collection and the
            // collection into the request, so both may be freed after the call.
            unsafe {
                let topics =
                    sys::rd_kafka_TopicCollection_of_topic_names(names.as_mut_ptr(), names.len());
                sys::rd_kafka_DescribeTopics(rk, topics, options.ptr(), queue);
                sys::rd_kafka_TopicCollection_destroy(topics);
            }
        }
        Question::TopicConfigs(names) => {
            // SAFETY: each name is a valid C string; the resources are copied by the call and freed after it.
            unsafe {
                let mut resources: Vec<_> = names
                    .iter()
                    .map(|name| {
                        sys::rd_kafka_ConfigResource_new(
                            sys::rd_kafka_ResourceType_t::RD_KAFKA_RESOURCE_TOPIC,
                            name.as_ptr(),
                        )
                    })
                    .collect();
                sys::rd_kafka_DescribeConfigs(
                    rk,
                    resources.as_mut_ptr(),
                    resources.len(),
                    options.ptr(),
                    queue,
                );
                sys::rd_kafka_ConfigResource_destroy_array(resources.as_mut_ptr(), resources.len());
            }
        }
        Question::Offsets(places, isolation) => {
            options.set_isolation(*isolation)?;
            let list = PartitionList::new(places)?;
            // SAFETY: the list is alive and copied by the call.
            unsafe { sys::rd_kafka_ListOffsets(rk, list.0.as_ptr(), options.ptr(), queue) }
        }
        Question::Members(group) => {
            let mut groups = [group.as_ptr()];
            // SAFETY: one valid C string, copied by the call.
            unsafe {
                sys::rd_kafka_DescribeConsumerGroups(
                    rk,
                    groups.as_mut_ptr(),
                    groups.len(),
                    options.ptr(),
                    queue,
                );
            }
        }
        Question::Commits(group) => {
            // SAFETY: a null list asks for all partitions; the request is copied by the call and freed after it.
            unsafe {
                let mut request = [sys::rd_kafka_ListConsumerGroupOffsets_new(
                    group.as_ptr(),
                    ptr::null(),
                )];
                sys::rd_kafka_ListConsumerGroupOffsets(
                    rk,
                    request.as_mut_ptr(),
                    request.len(),
                    options.ptr(),
                    queue,
                );
                sys::rd_kafka_ListConsumerGroupOffsets_destroy_array(
                    request.as_mut_ptr(),
                    request.len(),
                );
            }
        }
        Question::SetCommits(group, commits) => {
            set_commits(client, queue, &options, group, commits)?;
        }
        Question::DeleteCommits(group, places) => {
            delete_commits(client, queue, &options, group, places)?;
        }
    }
    Ok(())
}

fn set_commits(
    client: &Client,
    queue: *mut sys::rd_kafka_queue_t,
    options: &Options,
    group: &CStr,
    commits: &[NewCommit],
) -> Result<(), Failure> {
    let list = PartitionList::of_commits(commits)?;
    // SAFETY: client, queue and options are alive; group and list are copied by the request, the request by the call,
    // and it is freed after it.
    unsafe {
        let mut request = [sys::rd_kafka_AlterConsumerGroupOffsets_new(
            group.as_ptr(),
            list.0.as_ptr(),
        )];
        sys::rd_kafka_AlterConsumerGroupOffsets(
            client.ptr(),
            request.as_mut_ptr(),
            request.len(),
            options.ptr(),
            queue,
        );
        sys::rd_kafka_AlterConsumerGroupOffsets_destroy_array(request.as_mut_ptr(), request.len());
    }
    Ok(())
}

fn delete_commits(
    client: &Client,
    queue: *mut sys::rd_kafka_queue_t,
    options: &Options,
    group: &CStr,
    places: &[(CString, i32)],
) -> Result<(), Failure> {
    let list = PartitionList::empty(places.len())?;
    for (topic, partition) in places {
        list.add(topic, *partition)?;
    }
    // SAFETY: as above.
    unsafe {
        let mut request = [sys::rd_kafka_DeleteConsumerGroupOffsets_new(
            group.as_ptr(),
            list.0.as_ptr(),
        )];
        sys::rd_kafka_DeleteConsumerGroupOffsets(
            client.ptr(),
            request.as_mut_ptr(),
            request.len(),
            options.ptr(),
            queue,
        );
        sys::rd_kafka_DeleteConsumerGroupOffsets_destroy_array(request.as_mut_ptr(), request.len());
    }
    Ok(())
}

/// Waits up to `wait` for the next answer on `queue`: its question's id and what it got.
pub(in crate::bus::kafka) fn next_answer(queue: &Queue, wait: Duration) -> Option<(usize, Answer)> {
    let wait_ms = c_int::try_from(wait.as_millis()).unwrap_or(c_int::MAX);
    // SAFETY: the queue is alive.
    let event = Event(NonNull::new(unsafe {
        sys::rd_kafka_queue_poll(queue.ptr(), wait_ms)
    })?);
    // SAFETY: the event is alive until `event` is dropped; everything is copied before that.
    unsafe {
        let ptr = event.0.as_ptr();
        let id = sys::rd_kafka_event_opaque(ptr) as usize;
        let code = Code(raw::rd_kafka_event_error(ptr));
        let answer = if code.is_ok() {
            parse::answer(ptr)?
        } else {
            Answer::Failed(Failure {
                code,
                words: text(sys::rd_kafka_event_error_string(ptr)),
            })
        };
        Some((id, answer))
    }
}

struct Event(NonNull<sys::rd_kafka_event_t>);

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event came from rd_kafka_queue_poll and is freed once.
        unsafe { sys::rd_kafka_event_destroy(self.0.as_ptr()) }
    }
}

struct Options(NonNull<sys::rd_kafka_AdminOptions_t>);

impl Options {
    fn new(client: &Client, op: op, id: usize, timeout: Duration) -> Result<Self, Failure> {
        let timeout_ms = c_int::try_from(timeout.as_millis()).unwrap_or(c_int::MAX);
        // SAFETY: the client is alive.
        let ptr = unsafe { sys::rd_kafka_AdminOptions_new(client.ptr(), op) };
        let options = Self(NonNull::new(ptr).ok_or_else(|| no_memory("options"))?);
        // SAFETY: the options are alive; a null error buffer of size 0 is allowed; the opaque is never
        // dereferenced, it carries the number only.
        unsafe {
            sys::rd_kafka_AdminOptions_set_request_timeout(
                options.ptr(),
                timeout_ms,
                ptr::null_mut(),
                0,
            );
            sys::rd_kafka_AdminOptions_set_opaque(options.ptr(), id as *mut c_void);
        }
        Ok(options)
    }

    fn set_isolation(&self, isolation: Isolation) -> Result<(), Failure> {
        let level = match isolation {
            Isolation::ReadUncommitted => {
                sys::rd_kafka_IsolationLevel_t::RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED
            }
            Isolation::ReadCommitted => {
                sys::rd_kafka_IsolationLevel_t::RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED
            }
        };
        // SAFETY: the options are alive; a returned error is owned by us and freed.
        unsafe {
            let error = sys::rd_kafka_AdminOptions_set_isolation_level(self.ptr(), level);
            if error.is_null() {
                return Ok(());
            }
            let failure = parse::failure(error);
            sys::rd_kafka_error_destroy(error);
            Err(failure.unwrap_or_else(|| no_memory("isolation level")))
        }
    }

    fn set_broker(&self, broker: BrokerId) {
        // SAFETY: the options are alive; a null error buffer of size 0 is allowed. A number that is refused leaves
        // the choice to librdkafka.
        unsafe {
            sys::rd_kafka_AdminOptions_set_broker(self.ptr(), broker.0, ptr::null_mut(), 0);
        }
    }

    fn ptr(&self) -> *mut sys::rd_kafka_AdminOptions_t {
        self.0.as_ptr()
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: the options came from rd_kafka_AdminOptions_new and are freed once.
        unsafe { sys::rd_kafka_AdminOptions_destroy(self.ptr()) }
    }
}

struct PartitionList(NonNull<sys::rd_kafka_topic_partition_list_t>);

impl PartitionList {
    fn new(places: &[(CString, i32, i64)]) -> Result<Self, Failure> {
        let list = Self::empty(places.len())?;
        for (topic, partition, offset) in places {
            let entry = list.add(topic, *partition)?;
            // SAFETY: the entry is the list's newest, which nobody else holds.
            unsafe { (*entry.as_ptr()).offset = *offset };
        }
        Ok(list)
    }

    fn of_commits(commits: &[NewCommit]) -> Result<Self, Failure> {
        let list = Self::empty(commits.len())?;
        for commit in commits {
            let entry = list.add(&commit.topic, commit.partition)?.as_ptr();
            let metadata = commit.metadata.as_bytes();
            // SAFETY: the entry is the list's newest, which nobody else holds. Its metadata are freed with it by C's
            // `free`, so they are copied into memory of librdkafka's own. Its code is written as the integer it is.
            unsafe {
                (*entry).offset = commit.offset;
                sys::rd_kafka_topic_partition_set_leader_epoch(entry, commit.leader_epoch);
                // Copied into the answer, where librdkafka replaces it for each partition that the broker names.
                (&raw mut (*entry).err)
                    .cast::<c_int>()
                    .write(Code::NOT_NAMED.0);
                if !metadata.is_empty() {
                    let copy = sys::rd_kafka_mem_malloc(ptr::null_mut(), metadata.len());
                    if copy.is_null() {
                        return Err(no_memory("text beside an offset"));
                    }
                    ptr::copy_nonoverlapping(metadata.as_ptr(), copy.cast(), metadata.len());
                    (*entry).metadata = copy;
                    (*entry).metadata_size = metadata.len();
                }
            }
        }
        Ok(list)
    }

    fn empty(capacity: usize) -> Result<Self, Failure> {
        let capacity = c_int::try_from(capacity).unwrap_or(c_int::MAX);
        // SAFETY: a new list is ours.
        let list = unsafe { sys::rd_kafka_topic_partition_list_new(capacity) };
        NonNull::new(list)
            .map(Self)
            .ok_or_else(|| no_memory("list of partitions"))
    }

    /// A new entry, which lives until the next one is added.
    fn add(
        &self,
        topic: &CString,
        partition: i32,
    ) -> Result<NonNull<sys::rd_kafka_topic_partition_t>, Failure> {
        // SAFETY: the list is alive; the name is a valid C string, copied by the list.
        let entry = unsafe {
            sys::rd_kafka_topic_partition_list_add(self.0.as_ptr(), topic.as_ptr(), partition)
        };
        NonNull::new(entry).ok_or_else(|| no_memory("list of partitions"))
    }
}

impl Drop for PartitionList {
    fn drop(&mut self) {
        // SAFETY: the list came from rd_kafka_topic_partition_list_new and is freed once.
        unsafe { sys::rd_kafka_topic_partition_list_destroy(self.0.as_ptr()) }
    }
}

fn no_memory(what: &str) -> Failure {
    Failure {
        code: Code(-1),
        words: format!("librdkafka could not make the {what} of a request"),
    }
}
