package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const (
	debianPython = "/usr/bin/python3"
	debianRosbag = "/usr/bin/rosbag"
)

// rosbagOracle prints everything that rosbag's reader finds in a bag, and decodes every message with the definition in
// the bag.
const rosbagOracle = `
import sys, json, hashlib, rosbag
out = []
with rosbag.Bag(sys.argv[1]) as b:
    for (topic, (typ, data, md5, pos, cls), t, header), (_, m, _) in zip(
            b.read_messages(raw=True, return_connection_header=True), b.read_messages()):
        text = lambda k: header.get(k, b'').decode() if isinstance(header.get(k, b''), bytes) else header[k]
        out.append({"Topic": topic, "Type": typ, "MD5": md5, "Data": hashlib.sha256(data).hexdigest(),
            "Time": t.to_nsec(),
            "Caller": text('callerid'), "Latching": text('latching'),
            "Text": hashlib.sha256(text('message_definition').encode()).hexdigest()})
        if m._md5sum != md5: sys.exit('md5 sum of ' + topic)
json.dump(out, sys.stdout)
`

// read is a message as the oracle prints it.
type read struct {
	Topic, Type, MD5, Data, Caller, Latching, Text string
	Time                                           int64
}

func digest[T string | []byte](b T) string {
	h := sha256.Sum256([]byte(b))
	return hex.EncodeToString(h[:])
}

func needsRosbag(t *testing.T) {
	t.Helper()
	if exec.Command(debianPython, "-c", "import rosbag").Run() != nil {
		t.Skip("no rosbag: apt-get install python3-rosbag")
	}
}

// rosbag runs Debian's rosbag.
func rosbag(t *testing.T, uri string, args ...string) string {
	t.Helper()
	cmd := exec.Command(debianRosbag, args...)
	cmd.Env = append(os.Environ(), "ROS_MASTER_URI="+uri, "ROS_HOSTNAME=127.0.0.1", "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("rosbag %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// bagged exports a recording as a bag.
func bagged(t *testing.T, path string, s Selection) string {
	t.Helper()
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "x.bag")))(t)
	defer f.Close()
	must.Do(t, Bag(t.Context(), opened(t, path), s, f))
	return f.Name()
}

// Debian's rosbag reads every message of an exported bag, with its bytes, time and publisher, and decodes it with the
// definition in the bag. The bag has several publishers of a topic, a latched topic, types unknown to Debian, several
// chunks, and a large message.
func TestBagsAreRead(t *testing.T) {
	needsRosbag(t)
	lib := must.Get(msg.Load("nubot"))(t)
	r := rand.New(rand.NewPCG(1, 1))
	var want []read
	path := recorded(t, func(w *recording.Writer) {
		add := func(topic, typ, caller string, latching bool) func(at time.Duration, data []byte) {
			def := must.Get(lib.Message(typ))(t)
			c := must.Get(w.ROSChannel(topic, def, caller, latching))(t)
			return func(at time.Duration, data []byte) {
				c.Write(at, at, data)
				flag := ""
				if latching {
					flag = "1"
				}
				want = append(want, read{topic, typ, def.MD5, digest(data), caller, flag, digest(def.Text),
					int64(max(at, 1))})
			}
		}
		text, other, nubot, image := add("/text", "std_msgs/String", "/referee", true), add("/text", "std_msgs/String",
			"/coach", false),
			add("/odo", "nubot_common/OdoInfo", "/omnipitch", false), add("/image", "sensor_msgs/Image", "/omnipitch",
				false)
		odo, pixels := must.Get(msg.Compile[msg.OdoInfo](must.Get(lib.Message("nubot_common/OdoInfo"))(t)))(t),
			must.Get(msg.Compile[msg.Image](must.Get(lib.Message("sensor_msgs/Image"))(t)))(t)
		for i := range 500 {
			at := time.Duration(i) * 20 * time.Millisecond
			text(at, encodedText(strings.Repeat("é", r.IntN(3000))))
			nubot(at, odo.Append(nil, &msg.OdoInfo{Header: msg.Header{FrameID: "base"}, Vx: r.Float32()}))
			if i%100 == 7 {
				other(at, encodedText("coach"))
			}
			if i == 300 {
				image(at, pixels.Append(nil, &msg.Image{Height: 1000, Width: 1000, Encoding: "bgr8", Step: 3000,
					Data: make([]byte, 3_000_000)}))
			}
		}
	})
	bag := bagged(t, path, Selection{})
	var got []read
	out, err := exec.Command(debianPython, "-c", rosbagOracle, bag).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	must.Do(t, json.Unmarshal(out, &got))
	must.Equal(t, got, want, "messages")
	info := rosbag(t, "", "info", bag)
	for _, want := range []string{"1006", "none [3/3 chunks]", "b4f534aa8c080899ef112a410cc2c113", "2 connections",
		"10.0s"} {
		if !strings.Contains(info, want) {
			t.Errorf("rosbag info does not say %q:\n%s", want, info)
		}
	}
	rosbag(t, "", "check", bag)
}

// rosbag play, written with roscpp, publishes every message of a bag, including one at time 0.
func TestBagsPlay(t *testing.T) {
	needsRosbag(t)
	const count = 50
	path := recorded(t, func(w *recording.Writer) {
		def := must.Get(must.Get(msg.Load("nubot"))(t).Message("std_msgs/String"))(t)
		c := must.Get(w.ROSChannel("/text", def, "/referee", true))(t)
		for i := range count {
			c.Write(time.Duration(i)*time.Millisecond, 0, encodedText(fmt.Sprint(i)))
		}
	})
	uri := webtest.Master(t)
	var got must.List[string]
	must.Get(ros1.Subscribe(webtest.Node(t, uri, "/listener"), "/text", "std_msgs/String",
		func(m *msg.String) { got.Add(m.Data) }))(t)
	// the delay lets the subscribers connect
	rosbag(t, uri, "play", "--quiet", "--delay=0.5", bagged(t, path, Selection{}))
	must.Until(t, "the messages", func() bool { return len(got.All()) == count })
	for i, text := range got.All() {
		if text != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, text)
		}
	}
}
