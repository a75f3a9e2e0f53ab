# A router, client or peer of Eclipse Zenoh, which does what the lines of its standard input say.
import glob, json, os, sys, threading, zenoh, zenoh.ext as ext

mode, router = sys.argv[1], sys.argv[2]
config = zenoh.Config()
config.insert_json5("mode", json.dumps(mode))
config.insert_json5("scouting/multicast/enabled", "false")
config.insert_json5("transport/unicast/max_links", "1")
config.insert_json5("timestamping/enabled", "true")
config.insert_json5("listen/endpoints", json.dumps([] if mode == "client" else ["tcp/127.0.0.1:0"]))
config.insert_json5("connect/endpoints", json.dumps([router] if router else []))
session = zenoh.open(config)
output = threading.Lock()


def show(*words):
    with output:
        print(*words, flush=True)


def text(b):
    b = bytes(b) if b is not None else b"none"
    if len(b) < 400:
        return b.decode() if len(b) < 40 and all(32 <= c < 127 for c in b) else "0x" + b.hex()
    total = 0
    for c in b[::997]:
        total = (total * 31 + c) % 2**32
    return "%d %d" % (len(b), total)


def blob(n):
    return bytes(k * 7 % 256 for k in range(256)) * (n // 256) + bytes(k * 7 % 256 for k in range(n % 256))


def payload(word):
    if word.startswith("0x"):
        return bytes.fromhex(word[2:])
    return blob(int(word[1:])) if word[0] == "#" else word.encode()


def sample(s):
    show("sample", s.key_expr, str(s.kind).split(".")[-1], text(s.payload), text(s.attachment))


def answer(query):
    show("query", query.selector, text(query.payload), text(query.attachment))
    query.reply(query.key_expr, b"first " + bytes(query.payload), attachment=b"1")
    if bytes(query.payload) == b"fail":
        query.reply_err(b"no such thing")
    query.drop()


def echo(query):
    query.reply(query.key_expr, bytes(query.payload), attachment=bytes(query.attachment))
    query.drop()


def ask(key, word, attachment):
    for r in session.get(key, target=zenoh.QueryTarget.ALL_COMPLETE, payload=payload(word), attachment=payload(attachment),
                         consolidation=zenoh.ConsolidationMode.NONE):
        show("reply", *((r.ok.key_expr, text(r.ok.payload), text(r.ok.attachment)) if r.ok else
                        ("error", text(r.err.payload))))
    show("replied")


kept = {}
if mode != "client":  # the port of the only socket that listens
    own = {os.readlink(f) for f in glob.glob("/proc/self/fd/*") if os.path.islink(f)}
    for line in open("/proc/self/net/tcp").readlines()[1:]:
        words = line.split()
        if words[3] == "0A" and "socket:[%s]" % words[9] in own:
            show("port", int(words[1].split(":")[1], 16))
show("ready", session.zid())
for line in sys.stdin:
    do, key, *words = line.split()
    if do == "sub":
        kept[line] = session.declare_subscriber(key, sample)
    elif do == "put":
        session.put(key, payload(words[0]), attachment=payload(words[1]))
    elif do == "delete":
        session.delete(key)
    elif do == "queryable":
        kept[line] = session.declare_queryable(key, answer, complete=True)
    elif do == "echo":  # a service that returns the request and its attachment
        kept[line] = session.declare_queryable(key, echo, complete=True)
    elif do == "get":
        threading.Thread(target=ask, args=(key, *words)).start()
    elif do == "token":
        kept[key] = session.liveliness().declare_token(key)
    elif do == "watch":
        kept[line] = session.liveliness().declare_subscriber(
            key, lambda s: show("token", s.key_expr, str(s.kind).split(".")[-1]), history=True)
    elif do in ("latch", "latch-by-time"):  # a publisher that keeps its last samples
        if key not in kept:
            kept[key] = ext.declare_advanced_publisher(
                session, key, cache=ext.CacheConfig(max_samples=3), publisher_detection=True,
                sample_miss_detection=ext.MissDetectionConfig() if do == "latch" else None)
        kept[key].put(payload(words[0]), attachment=payload(words[1]))
    elif do == "late":  # a subscriber that wants the last samples
        kept[line] = ext.declare_advanced_subscriber(
            session, key, sample, history=ext.HistoryConfig(detect_late_publishers=True, max_samples=10),
            recovery=ext.RecoveryConfig(heartbeat=True))
    elif do == "undeclare":
        kept.pop(key).undeclare()
    show("did", line.strip())
session.close()
