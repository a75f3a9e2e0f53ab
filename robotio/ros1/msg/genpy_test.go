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
		must.Equal(t, out[i][0], p.def.MD5, "%s %s: md5", p.dialect, p.name)
		must.Equal(t, out[i][1], in[i][2], "%s %s: genpy's bytes", p.dialect, p.name)
	}
}
