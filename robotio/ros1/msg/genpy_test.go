package msg

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// genpyOracle reads [[type, full text, hex]], and decodes and encodes each message with ROS's genpy.
const genpyOracle = `
import sys, json, io, genpy.dynamic
out = []
for name, text, data in json.load(sys.stdin):
    m = genpy.dynamic.generate_dynamic(name, text)[name]()
    m.deserialize(bytes.fromhex(data))
    b = io.BytesIO(); m.serialize(b)
    out.append([m._md5sum, b.getvalue().hex()])
json.dump(out, sys.stdout)
`

// TestAgainstGenpy uses genpy as the oracle: it decodes our bytes and encodes the same ones.
func TestAgainstGenpy(t *testing.T) {
	if exec.Command(debianPython, "-c", "import genpy").Run() != nil {
		t.Skip("no genpy: apt-get install python3-rospy")
	}
	var in [][3]string
	ps := pairs()
	for _, p := range ps {
		in = append(in, [3]string{p.name, p.def.Text, hex.EncodeToString(p.encode(filled(p)))})
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(debianPython, "-c", genpyOracle)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(raw), &stderr
	if raw, err = cmd.Output(); err != nil {
		t.Fatalf("genpy: %v\n%s", err, &stderr)
	}
	var out [][2]string
	must.Do(t, json.Unmarshal(raw, &out))
	for i, p := range ps {
		if out[i][0] != p.def.MD5 {
			t.Errorf("%s %s: md5 = %s, genpy %s", p.dialect, p.name, p.def.MD5, out[i][0])
		}
		if out[i][1] != in[i][2] {
			t.Errorf("%s %s:\ngenpy %s\nours  %s", p.dialect, p.name, out[i][1], in[i][2])
		}
	}
}
