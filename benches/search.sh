#!/usr/bin/env bash
# How fast `tideline records` searches, beside kcat and Kafka's own consumer, on one real broker that this script
# starts. Prints records and megabytes a second without start-up (a run of the whole topic less one that ends with the first record, the
# median of three) and the ratio to kcat in the same run. Figures differ from machine to machine; ratios less so.
#
#   benches/search.sh [TIDELINE] [RECORDS]
#
# TIDELINE is the program (built for release), RECORDS how many of 100 bytes there are; of 1 KiB a quarter of it.
set -euo pipefail
cd "$(dirname "$0")/.."
. .ci/lib.sh
need_packages "${test_packages[@]}"
need_kafka

tideline=${1:-$CARGO_TARGET_DIR/release/tideline}
count=${2:-6000000}
partitions=6
folder=$(mktemp -d)
port=$((20000 + RANDOM % 10000))
control=$((port + 1))
broker=127.0.0.1:$port

java_tool() { java -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$kafka_jars/*" "$@"; }

cat > "$folder/server.properties" <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$control
listeners=PLAINTEXT://$broker,CONTROLLER://127.0.0.1:$control
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$folder/log
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
END
java_tool kafka.tools.StorageTool format -t "$(java_tool kafka.tools.StorageTool random-uuid)" -c "$folder/server.properties" > /dev/null
java -Xmx1g -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp "$kafka_jars/*" kafka.Kafka "$folder/server.properties" > "$folder/broker.log" 2>&1 &
kafka=$!
trap 'kill -9 $kafka 2> /dev/null || true; rm -rf "$folder"' EXIT
until kcat -b "$broker" -L > /dev/null 2>&1; do sleep 0.3; done

# make TOPIC RECORDS BYTES COMPRESSION
make() {
    java_tool org.apache.kafka.tools.TopicCommand --bootstrap-server "$broker" --create --topic "$1" --partitions $partitions > /dev/null
    # A payload file, so that records can be compressed and searched: each line is one record.
    awk -v bytes="$3" 'BEGIN { srand(7); for (i = 0; i < 2000; i++) { line = "{\"order\":\"" i "\",\"city\":\"city-" int(rand() * 500) "\",\"note\":\""; while (length(line) < bytes - 2) line = line sprintf("%04x", int(rand() * 4096)); print substr(line, 1, bytes - 2) "\"}" } }' > "$folder/lines"
    java_tool org.apache.kafka.tools.ProducerPerformance --topic "$1" --num-records "$2" --throughput -1 --payload-file "$folder/lines" \
        --producer-props bootstrap.servers="$broker" batch.size=131072 linger.ms=20 acks=1 compression.type="$4" > /dev/null
    printf 'needle in the hay' | kcat -b "$broker" -P -t "$1" -p 0
    until [ "$(java_tool org.apache.kafka.tools.GetOffsetShell --bootstrap-server "$broker" --topic "$1" | awk -F: '{ all += $3 } END { print all }')" -gt "$2" ]; do sleep 1; done
}

now() { date +%s%N; }
# seconds COMMAND...: the median of three runs, in nanoseconds
median() {
    for _ in 1 2 3; do
        local start
        start=$(now)
        "$@" > /dev/null 2>&1 || true
        echo $(($(now) - start))
    done | sort -n | sed -n 2p
}

# jq looks at each record for microseconds, so it is given a twentieth of them.
few() { echo $(($1 / partitions / 20)); }

all_of() { case $1 in
    kcat) kcat -b "$broker" -C -q -e -t "$2" -o beginning ;;
    console) java_tool org.apache.kafka.tools.consumer.ConsoleConsumer --bootstrap-server "$broker" --topic "$2" --from-beginning --max-messages "$3" ;;
    plain) "$tideline" records --bootstrap "$broker" --topic "$2" --json ;;
    jq:*) "$tideline" records --bootstrap "$broker" --topic "$2" --json --filter "$1" --to "offset:$(few "$3")" ;;
    *) "$tideline" records --bootstrap "$broker" --topic "$2" --json --filter "$1" ;;
    esac; }
none_of() { case $1 in
    kcat) kcat -b "$broker" -C -q -c 1 -t "$2" -o beginning ;;
    console) java_tool org.apache.kafka.tools.consumer.ConsoleConsumer --bootstrap-server "$broker" --topic "$2" --from-beginning --max-messages 1 ;;
    plain) "$tideline" records --bootstrap "$broker" --topic "$2" --json --limit 1 ;;
    *) "$tideline" records --bootstrap "$broker" --topic "$2" --json --from now --filter "$1" ;;
    esac; }

measure() {
    local topic=$1 records=$2 bytes=$3 way took start rate base=""
    for way in kcat "text:needle in the hay" 'regex:needle [a-z]+ the hay' 'jq:.value.order == "1999999"' plain console; do
        took=$(median all_of "$way" "$topic" "$records")
        start=$(median none_of "$way" "$topic")
        local looked_at=$records
        case $way in jq:*) looked_at=$(($(few "$records") * partitions)) ;; esac
        rate=$(awk -v n="$looked_at" -v t="$took" -v s="$start" 'BEGIN { d = (t - s) / 1e9; print (d > 0 ? n / d : 0) }')
        base=${base:-$rate}
        awk -v topic="$topic" -v way="$way" -v rate="$rate" -v bytes="$bytes" -v base="$base" \
            'BEGIN { printf "%-12s %-28s %10.0f records/s %8.1f MB/s %6.2f x kcat\n", topic, way, rate, rate * bytes / 1e6, rate / base }'
    done
    local peak
    peak=$(/usr/bin/env bash -c '"$0" "$@" > /dev/null & pid=$!; peak=0; while read -r _ kb _ < <(grep VmHWM /proc/$pid/status 2> /dev/null); do peak=$kb; sleep 0.05; done; echo $((peak / 1024))' \
        "$tideline" records --bootstrap "$broker" --topic "$topic" --json --filter "text:needle in the hay")
    echo "$topic: at most $peak MiB resident while searching"
}

make small "$count" 100 none
measure small "$count" 100
make large $((count / 4)) 1024 none
measure large $((count / 4)) 1024
make small-lz4 "$count" 100 lz4
measure small-lz4 "$count" 100
make small-zstd "$count" 100 zstd
measure small-zstd "$count" 100
