//! What happens in the shop: one order, and everything that follows from it.

use fastrand::Rng;

/// The shop's topics, in the order in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Orders,
    Payments,
    Shipments,
    Notifications,
    Customers,
}

impl Topic {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Payments => "payments",
            Self::Shipments => "shipments",
            Self::Notifications => "notifications",
            Self::Customers => "customers",
        }
    }

    /// How many partitions it has.
    pub(super) fn partitions(self) -> u32 {
        match self {
            Self::Orders => 4,
            Self::Payments | Self::Shipments | Self::Notifications | Self::Customers => 2,
        }
    }
}

impl Topic {
    /// Whether the broker sets its records' times.
    pub(super) fn has_append_time(self) -> bool {
        self == Self::Notifications
    }

    /// How many records of its history share a batch. Where the broker sets the time it sets it for a whole
    /// batch, and compaction looks at whole batches only.
    pub(super) fn batch_records(self) -> i32 {
        match self {
            Self::Orders | Self::Payments | Self::Shipments => 200,
            Self::Customers => 20,
            Self::Notifications => 1,
        }
    }
}

/// A record's headers, in order.
pub(super) type Headers = Vec<(&'static str, Vec<u8>)>;

/// What a service could not cope with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Shipping found no address and gave the record up.
    Address,
    /// Shipping met a null where none was foreseen and gave the record up.
    Null,
    /// The warehouse's sink connector could not read the value.
    Sink,
    /// Fraud-check does not get past it.
    Poison,
}

/// A record that is to be written.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// When, in epoch milliseconds.
    pub(super) at: i64,
    pub(super) topic: Topic,
    pub(super) key: String,
    pub(super) value: Option<Vec<u8>>,
    pub(super) headers: Headers,
    pub(super) fails: Option<Failure>,
}

/// The order that a customer asks about: paid for, and never shipped.
pub(super) const LOST_ORDER: u32 = 4_711;

const GOODS: [(&str, u32); 8] = [
    ("tea-assam-250", 960),
    ("mug-blue", 1_490),
    ("teapot-cast-iron", 6_400),
    ("honey-linden", 720),
    ("kettle-1l", 8_990),
    ("biscuits-oat", 380),
    ("filter-paper-100", 250),
    ("gift-box", 2_150),
];
const CITIES: [&str; 8] = [
    "Lübeck", "Graz", "Zürich", "Gent", "Århus", "Kraków", "Lyon", "Porto",
];
const NAMES: [&str; 8] = [
    "Adaeze Okafor",
    "Jonas Lindqvist",
    "Mira Novák",
    "Tomás Ferreira",
    "Ines Keller",
    "Paul Dubois",
    "Sofia Rossi",
    "Emil Hansen",
];
const CARRIERS: [&str; 3] = ["DHL", "GLS", "DPD"];

/// Writes the events of orders.
pub(super) struct Teller<'a> {
    rng: &'a mut Rng,
    number: u32,
    trace: u128,
    correlation: String,
    cause: Option<String>,
    events: Vec<Event>,
}

impl<'a> Teller<'a> {
    /// Everything that follows from the order of this number, placed at this time. The events come in the
    /// order of their times.
    pub(super) fn tell(
        rng: &'a mut Rng,
        number: u32,
        at: i64,
        failure: Option<Failure>,
    ) -> Vec<Event> {
        let trace = rng.u128(1..);
        let correlation = uuid(rng.u128(..));
        let mut teller = Teller {
            rng,
            number,
            trace,
            correlation,
            cause: None,
            events: Vec::new(),
        };
        teller.order(at, failure);
        let mut events = teller.events;
        events.sort_by_key(|event| event.at);
        events
    }

    fn order(&mut self, at: i64, failure: Option<Failure>) {
        let customer = self.rng.u32(1_000..1_400);
        let (sku, cents) = pick(self.rng, &GOODS);
        let count = self.rng.u32(1..4);
        let total = Money(cents * count);
        let price = Money(cents);
        let id = snowflake(at, self.number);
        let order = self.key();
        let value = format!(
            r#"{{"type":"OrderPlaced","id":{id},"orderId":"{order}","customerId":"c-{customer}","currency":"EUR","total":{total},"items":[{{"sku":"{sku}","quantity":{count},"price":{price}}}],"placedAt":"{}"}}"#,
            time(at),
        );
        self.add(at, Topic::Orders, value, None);
        if self.rng.u32(0..8) == 0 {
            let sent = at + self.between(200, 1_500);
            self.customer(sent, customer);
        }

        let asked = at + self.between(800, 4_000);
        let value = format!(
            r#"{{"type":"PaymentRequested","id":{},"orderId":"{order}","amount":{total},"currency":"EUR","method":"{}"}}"#,
            snowflake(asked, self.number),
            pick(self.rng, &["card", "card", "paypal", "invoice"]),
        );
        if failure == Some(Failure::Poison) {
            // A schema registry's frame in a topic of JSON: five bytes of header, then Avro.
            let mut bytes = vec![0, 0, 0, 0, 42, 2, 0x80];
            bytes.extend_from_slice(b"\x0eo-paymt\xff\xfe");
            self.add_bytes(asked, Topic::Payments, Some(bytes), failure);
        } else {
            self.add(asked, Topic::Payments, value, None);
        }

        let settled = asked + self.between(3_000, 40_000);
        if self.rng.u32(0..100) < 7 && failure.is_none() && self.number != LOST_ORDER {
            self.declined(settled, total);
        } else {
            self.captured(settled, total, customer, failure);
        }
    }

    fn declined(&mut self, at: i64, total: Money) {
        let order = self.key();
        let value = format!(
            r#"{{"type":"PaymentDeclined","id":{},"orderId":"{order}","amount":{total},"currency":"EUR","reason":"{}"}}"#,
            snowflake(at, self.number),
            pick(
                self.rng,
                &["insufficient_funds", "expired_card", "3ds_failed"]
            ),
        );
        self.add(at, Topic::Payments, value, None);
        let cancelled = at + self.between(500, 3_000);
        let value = format!(
            r#"{{"type":"OrderCancelled","id":{},"orderId":"{order}","total":{total},"reason":"payment declined"}}"#,
            snowflake(cancelled, self.number),
        );
        self.add(cancelled, Topic::Orders, value, None);
        let sent = cancelled + self.between(1_000, 6_000);
        self.notify(sent, "payment-failed");
    }

    fn captured(&mut self, at: i64, total: Money, customer: u32, failure: Option<Failure>) {
        let order = self.key();
        let value = format!(
            r#"{{"type":"PaymentCaptured","id":{},"orderId":"{order}","amount":{total},"currency":"EUR","fee":{}}}"#,
            snowflake(at, self.number),
            Money(total.0 / 40),
        );
        self.add(at, Topic::Payments, value, None);
        let confirmed = at + self.between(700, 3_000);
        let city = pick(self.rng, &CITIES);
        let address = match failure {
            Some(Failure::Address) => format!(r#"{{"city":"{city}","street":""}}"#),
            Some(Failure::Null) => "null".to_owned(),
            Some(Failure::Sink | Failure::Poison) | None => {
                format!(
                    r#"{{"city":"{city}","street":"Hauptstraße {}"}}"#,
                    customer % 90 + 1
                )
            }
        };
        let value = format!(
            r#"{{"type":"OrderConfirmed","id":{},"orderId":"{order}","customerId":"c-{customer}","total":{total},"address":{address}}}"#,
            snowflake(confirmed, self.number),
        );
        let given_up =
            failure.filter(|failure| matches!(failure, Failure::Address | Failure::Null));
        self.add(confirmed, Topic::Orders, value, given_up);
        let sent = confirmed + self.between(1_500, 8_000);
        self.notify(sent, "order-confirmed");
        if given_up.is_none() {
            self.shipped(confirmed, failure);
        }
    }

    fn shipped(&mut self, confirmed: i64, failure: Option<Failure>) {
        let order = self.key();
        let created = confirmed + self.between(20_000, 180_000);
        let grams = self.rng.u32(150..9_000);
        let sink = failure == Some(Failure::Sink);
        let weight = if sink {
            r#""n/a""#.to_owned()
        } else {
            format!("{}.{:03}", grams / 1_000, grams % 1_000)
        };
        let carrier = pick(self.rng, &CARRIERS);
        let value = format!(
            r#"{{"type":"ShipmentCreated","id":{},"orderId":"{order}","carrier":"{carrier}","weightKg":{weight}}}"#,
            snowflake(created, self.number),
        );
        self.add(created, Topic::Shipments, value, failure.filter(|_| sink));
        let dispatched = created + self.between(180_000, 900_000);
        let value = format!(
            r#"{{"type":"ShipmentDispatched","id":{},"orderId":"{order}","carrier":"{carrier}","tracking":"{carrier}{:010}"}}"#,
            snowflake(dispatched, self.number),
            self.rng.u32(..),
        );
        self.add(dispatched, Topic::Shipments, value, None);
        let sent = dispatched + self.between(3_000, 20_000);
        self.notify(sent, "order-shipped");
    }

    fn notify(&mut self, at: i64, template: &str) {
        let value = format!(
            r#"{{"type":"MailSent","id":{},"orderId":"{}","template":"{template}"}}"#,
            snowflake(at, self.number),
            self.key(),
        );
        self.add(at, Topic::Notifications, value, None);
    }

    fn customer(&mut self, at: i64, customer: u32) {
        let mut event = Self::customer_event(self.rng, at, customer);
        if self.rng.u32(0..40) == 0 {
            event.value = None;
        }
        self.events.push(event);
    }

    /// A customer as it stands at this time.
    pub(super) fn customer_event(rng: &mut Rng, at: i64, customer: u32) -> Event {
        let index = usize::try_from(customer % 8).unwrap_or(0);
        let name = NAMES.get(index).copied().unwrap_or_default();
        let value = format!(
            r#"{{"customerId":"c-{customer}","name":"{name}","city":"{}","credit":{},"updatedAt":"{}"}}"#,
            pick(rng, &CITIES),
            Money(rng.u32(0..50_000)),
            time(at),
        );
        Event {
            at,
            topic: Topic::Customers,
            key: format!("c-{customer}"),
            value: Some(value.into_bytes()),
            headers: vec![("event-id", uuid(rng.u128(..)).into_bytes())],
            fails: None,
        }
    }

    fn add(&mut self, at: i64, topic: Topic, value: String, fails: Option<Failure>) {
        self.add_bytes(at, topic, Some(value.into_bytes()), fails);
    }

    fn add_bytes(&mut self, at: i64, topic: Topic, value: Option<Vec<u8>>, fails: Option<Failure>) {
        let event_id = uuid(self.rng.u128(..));
        let trace = self.trace;
        let traceparent = format!("00-{trace:032x}-{:016x}-01", self.rng.u64(1..));
        let mut headers: Headers = vec![
            ("event-id", event_id.clone().into_bytes()),
            ("correlation-id", self.correlation.clone().into_bytes()),
            ("traceparent", traceparent.into_bytes()),
        ];
        if let Some(cause) = self.cause.replace(event_id) {
            headers.push(("causation-id", cause.into_bytes()));
        }
        self.events.push(Event {
            at,
            topic,
            key: self.key(),
            value,
            headers,
            fails,
        });
    }

    fn key(&self) -> String {
        format!("o-{}", self.number)
    }

    fn between(&mut self, least: i64, most: i64) -> i64 {
        self.rng.i64(least..=most)
    }
}

/// An amount in cents, written with two decimals.
#[derive(Clone, Copy, Debug)]
struct Money(u32);

impl std::fmt::Display for Money {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// An id of 64 bits: a time and a number, too large for a double to hold exactly.
pub(super) fn snowflake(at: i64, number: u32) -> i64 {
    const SINCE_2020: i64 = 1_577_836_800_000;
    let ticks = at.saturating_sub(SINCE_2020).max(0);
    ticks.saturating_mul(1 << 22) | i64::from(number & 0x003f_ffff)
}

fn time(at: i64) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(|_| at.to_string(), |time| time.to_string())
}

/// The UUID (version 4) of these bits.
pub(super) fn uuid(bits: u128) -> String {
    uuid::Builder::from_random_bytes(bits.to_be_bytes())
        .into_uuid()
        .to_string()
}

/// One of these; there must be at least one.
fn pick<T: Copy + Default>(rng: &mut Rng, from: &[T]) -> T {
    let index = rng.usize(..from.len().max(1));
    from.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_keeps_its_trailing_zero() {
        assert_eq!(Money(1_920).to_string(), "19.20");
        assert_eq!(Money(5).to_string(), "0.05");
    }

    #[test]
    fn an_id_is_larger_than_a_double_can_hold_exactly() {
        // 2026-11-30T12:00:00Z is 218,203,200,000 ms after 2020; shifted by 22 bits.
        assert_eq!(
            snowflake(1_796_040_000_000, 3),
            218_203_200_000 * 4_194_304 + 3
        );
    }

    #[test]
    fn a_uuid_has_its_version_and_variant() {
        let text = uuid(u128::MAX);
        assert_eq!(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn an_order_is_followed_by_payment_shipment_and_mail_in_the_order_of_time() {
        let mut rng = Rng::with_seed(3);
        let events = Teller::tell(&mut rng, LOST_ORDER + 1, 1_000_000, Some(Failure::Sink));
        assert!(events.is_sorted_by_key(|event| event.at));
        let topics: Vec<Topic> = events.iter().map(|event| event.topic).collect();
        assert_eq!(topics.first(), Some(&Topic::Orders));
        for topic in [Topic::Payments, Topic::Shipments, Topic::Notifications] {
            assert!(topics.contains(&topic));
        }
        let trace = |event: &Event| {
            let header = event
                .headers
                .iter()
                .find(|(name, _)| *name == "traceparent");
            header.map(|(_, value)| value[3..35].to_vec())
        };
        let orders = events
            .iter()
            .filter(|event| event.topic != Topic::Customers);
        let traces: std::collections::BTreeSet<_> = orders.map(trace).collect();
        assert_eq!(traces.len(), 1);
    }

    #[test]
    fn an_order_that_shipping_gave_up_is_never_shipped() {
        let mut rng = Rng::with_seed(3);
        let events = Teller::tell(&mut rng, LOST_ORDER, 1_000_000, Some(Failure::Address));
        assert!(events.iter().all(|event| event.topic != Topic::Shipments));
        let failed = events
            .iter()
            .filter(|event| event.fails == Some(Failure::Address));
        assert_eq!(failed.count(), 1);
    }
}
