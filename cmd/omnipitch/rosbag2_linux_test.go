package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// rosbag2Oracle prints what rosbags finds in a bag of ROS 2: its summary, and then every message, deserialized, in the
// form of package dynamic's JSON for ROS 1.
const rosbag2Oracle = `
import sys, json, base64, math
import numpy
from rosbags.interfaces import Nodetype
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore, get_types_from_msg
def one(store, kind, desc, x):
    if kind == Nodetype.NAME: return tree(store, desc, x)
    if desc[0] in ('float32', 'float64'):
        if not math.isfinite(x): return None
        return float(str(numpy.float32(x)) if desc[0] == 'float32' else x)
    return x if desc[0] == 'string' else bool(x) if desc[0] == 'bool' else int(x)
def tree(store, typ, m):
    if typ in ('builtin_interfaces/msg/Time', 'builtin_interfaces/msg/Duration'):
        return {'secs': m.sec, 'nsecs': m.nanosec}
    out = {}
    for name, (kind, desc) in store.fielddefs[typ][1]:
        x = getattr(m, name)
        if kind not in (Nodetype.ARRAY, Nodetype.SEQUENCE): out[name] = one(store, kind, desc, x)
        elif desc[0][1] in (('uint8', 0), ('char', 0)): out[name] = base64.b64encode(bytes(x)).decode()
        else: out[name] = [one(store, *desc[0], e) for e in x]
    return out
stores = {}
with Reader(sys.argv[1]) as bag:
    print(json.dumps({'count': bag.message_count, 'start': bag.start_time, 'end': bag.end_time,
        'topics': {c.topic: c.msgcount for c in bag.connections}}))
    for c, t, data in bag.messages():
        if c.topic not in stores:
            stores[c.topic] = get_typestore(Stores.EMPTY)
            stores[c.topic].register(get_types_from_msg(c.msgdef.data, c.msgtype))
        store = stores[c.topic]
        print(json.dumps([c.topic, c.msgtype, t, tree(store, c.msgtype, store.deserialize_cdr(data, c.msgtype))]))
`

// bagMessage is a message as the oracle prints it.
type bagMessage struct {
	Type  string
	Time  time.Duration
	Value any
}

// bagSummary is the summary of a bag.
type bagSummary struct {
	Count, Start, End int64
	Topics            map[string]int
}

// oracle returns what rosbags reads in a bag of ROS 2, by topic.
func oracle(t *testing.T, python, folder string) (sum bagSummary, by map[string][]bagMessage) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(python, "-c", rosbag2Oracle, folder)
	cmd.Stderr = &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("rosbags: %v\n%s", err, &stderr)
	}
	first, rest, _ := strings.Cut(string(raw), "\n")
	must.Do(t, json.Unmarshal([]byte(first), &sum))
	by = map[string][]bagMessage{}
	for line := range strings.Lines(rest) {
		var topic string
		var m bagMessage
		must.Do(t, json.Unmarshal([]byte(line), &[]any{&topic, &m.Type, &m.Time, &m.Value}))
		by[topic] = append(by[topic], m)
	}
	return sum, by
}

type object = map[string]any

// inROS2 changes the value of a message of ROS 1 to what it is in ROS 2: names are in lower case, headers have no
// sequence number, markers have more fields, and detections have others.
func inROS2(x any) any {
	has := func(o object, name string) bool { return o[name] != nil }
	switch x := x.(type) {
	case object:
		y := object{}
		for k, v := range x {
			y[strings.ToLower(k)] = inROS2(v)
		}
		switch {
		case has(x, "seq") && has(x, "frame_id"):
			delete(y, "seq")
		case has(x, "mesh_resource"):
			stamp := object{"secs": 0.0, "nsecs": 0.0}
			y["texture"] = object{"header": object{"stamp": stamp, "frame_id": ""}, "format": "", "data": ""}
			y["texture_resource"], y["uv_coordinates"] = "", []any{}
			y["mesh_file"] = object{"filename": "", "data": ""}
		case has(x, "bbox"):
			delete(y, "source_cloud")
			y["id"] = ""
		case has(x, "score"):
			return object{"hypothesis": object{"class_id": fmt.Sprint(x["id"]), "score": x["score"]}, "pose": y["pose"]}
		}
		return y
	case []any:
		for i := range x {
			x[i] = inROS2(x[i])
		}
	}
	return x
}

// TestExportRosbag2 checks that rosbags reads every message of an exported run, with the values that the recording has.
func TestExportRosbag2(t *testing.T) {
	python := pypi.Python(t, pypi.Rosbags...)
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.mcap"), filepath.Join(dir, "match")
	prints(t, console.ExitDone, "", "run", "chase-ball", "--ros1", "embedded:0", "--speed", "max", "--for", "1s",
		"--level", "cyan2.omni=raw", "--renderer", "tile", "--record", path, "--record-exact", "--record-topic", "*")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"export", path, "--out", folder, "--format", "rosbag2"},
		console.Streams{Out: &out, Err: &errs})
	if code != console.ExitDone || out.Len() > 0 {
		t.Fatalf("exit code %d: %s%s", code, &out, &errs)
	}
	const odometry = "/cyan2/nubotdriver/odoinfo"
	sum, got := oracle(t, python, folder)
	r := must.Get(recording.Open(path))(t)
	defer r.Close()
	codecs, want := map[*recording.ChannelInfo]*dynamic.Codec{}, map[string][]bagMessage{}
	first, last := r.Span()
	for m, err := range r.All(0, nil) {
		must.Do(t, err)
		if codecs[m.Channel] == nil {
			codecs[m.Channel] = must.Get(dynamic.Compile(must.Get(m.Channel.Definition())(t)))(t)
		}
		var value any
		must.Do(t, json.Unmarshal(must.Get(codecs[m.Channel].AppendJSON(nil, m.Data))(t), &value))
		if m.Channel.Topic == odometry {
			continue
		}
		typ := strings.Replace(m.Channel.Schema.Name, "/", "/msg/", 1)
		want[m.Channel.Topic] = append(want[m.Channel.Topic], bagMessage{typ, m.LogTime, inROS2(value)})
		sum.Topics[m.Channel.Topic]--
		sum.Count--
	}
	for topic, messages := range want {
		if !reflect.DeepEqual(got[topic], messages) {
			t.Errorf("topic %s: got %d messages, want %d; the first ones are\n%+v\n%+v", topic, len(got[topic]),
				len(messages), got[topic][:min(1, len(got[topic]))], messages[0])
		}
		if sum.Topics[topic] != 0 {
			t.Errorf("topic %s: metadata.yaml has %d messages more than the recording", topic, sum.Topics[topic])
		}
	}
	for _, topic := range []string{"/clock", "/omnipitch/truth", "/omnipitch/states", "/cyan2/odom"} {
		if len(got[topic]) == 0 {
			t.Errorf("topic %s: got no message", topic)
		}
	}
	must.Equal(t, sum, bagSummary{0, int64(first), int64(last) + 1, sum.Topics}, "summary")
	must.Equal(t, errs.String(), path+": topic "+odometry+" of type nubot_common/OdoInfo is left out: "+
		"nubot_common/OdoInfo: field = \"Vx\": must be lower-case letters, digits and single underscores in ROS 2\n",
		"topics that are left out")

	file := filepath.Join(folder, "match_0.mcap")
	prints(t, console.ExitDone, "the states of 201 steps equal those of the recording", "replay", file, "--check")
	prints(t, console.ExitDone, "the same run: the same world, inputs, and states of 201 steps", "diff", path, file)
	silent(t, "plot", file, "--of", "ball.speed", "--out", filepath.Join(dir, "speed.csv"))

	// the folder is refused, replaced, and left unchanged as that of any export
	objects(t, "holds 2 files of an earlier run", "export", path, "--out", folder, "--format", "rosbag2")
	silent(t, "export", path, "--out", folder, "--format", "rosbag2", "--overwrite", "--topic", "/clock")
	sum, _ = oracle(t, python, folder)
	must.Equal(t, len(sum.Topics), 1, "topics of the second export")
	silent(t, "export", file, "--out", filepath.Join(dir, "tables"))
	wantLines(t, prints(t, console.ExitDone, "rosgraph_msgs/msg/Clock", "info", file), "/clock")
}

// TestRecordROS2 checks that the recording of a run with ROS 2 is a file that rosbags reads, that it is replayed, and
// that it becomes a bag with the same messages.
func TestRecordROS2(t *testing.T) {
	python := pypi.Python(t, pypi.Rosbags...)
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.mcap"), filepath.Join(dir, "match")
	prints(t, console.ExitDone, "", "run", "chase-ball", "--ros1", "off", "--ros2", strconv.Itoa(must.Domain(t)),
		"--speed", "5", "--for", "1s", "--level", "cyan2.omni=raw", "--renderer", "tile", "--record", path,
		"--record-exact", "--record-topic", "*")
	prints(t, console.ExitDone, "the states of 201 steps equal those of the recording", "replay", path, "--check")
	silent(t, "export", path, "--out", folder, "--format", "rosbag2")
	sum, got := oracle(t, python, path)
	for _, topic := range []string{"/clock", "/tf_static", "/omnipitch/states", "/cyan2/odom", "/cyan2/vision_info",
		"/cyan2/omni/image_raw/compressed"} {
		if len(got[topic]) == 0 || sum.Topics[topic] != len(got[topic]) {
			t.Errorf("topic %s: got %d messages, want %d, which is more than 0", topic, len(got[topic]), sum.Topics[topic])
		}
	}
	_, bag := oracle(t, python, folder)
	must.Equal(t, bag, got, "messages of the exported bag")
}
