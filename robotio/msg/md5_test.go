package msg

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// readMD5s returns the table of known MD5 sums: dialect, type, sum.
func readMD5s(t *testing.T) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/md5.txt"))(t))) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Fields(line))
		}
	}
	return rows
}

// TestMD5 compares with the table, which must have every definition.
func TestMD5(t *testing.T) {
	known := map[string]bool{}
	for _, row := range readMD5s(t) {
		dialect, name, want := row[0], row[1], row[2]
		known[name] = true
		l := must.Get(Load(dialect))(t)
		got := ""
		if m, err := l.Message(name); err == nil {
			got = m.MD5
		} else if s, err2 := l.Service(name); err2 == nil {
			got = s.MD5
		} else {
			t.Errorf("%s %s: %v, %v", dialect, name, err, err2)
		}
		must.Equal(t, got, want, "%s %s: md5", dialect, name)
	}
	for _, d := range Dialects() {
		l := must.Get(Load(d))(t)
		for _, n := range append(l.Messages(), l.Services()...) {
			if !known[n] {
				t.Errorf("dialect %s: %s has no md5 sum to compare with", d, n)
			}
		}
	}
}

const debianPython = "/usr/bin/python3"

// genmsgOracle prints name → [md5, full text] of the definitions in the given folders.
const genmsgOracle = `
import sys, os, json, genmsg, genmsg.gentools, genmsg.msg_loader as ml
search = {}
for d in sys.argv[1:]:
    for p in os.listdir(d):
        search.setdefault(p, []).insert(0, os.path.join(d, p))
out = {}
for p, dirs in search.items():
    for d in dirs:
        for f in os.listdir(d):
            n, e = os.path.splitext(f)
            if e == '.action': continue
            full = p + '/' + n
            c = genmsg.MsgContext.create_default()
            s = ml.load_msg_by_type(c, full, search) if e == '.msg' else ml.load_srv_by_type(c, full, search)
            ml.load_depends(c, s, search)
            text = genmsg.gentools.compute_full_text(c, s) if e == '.msg' else ''
            out[full] = [genmsg.gentools.compute_md5(c, s), text]
json.dump(out, sys.stdout)
`

// genaction is ROS's program that makes messages of actions.
const genaction = "/usr/lib/actionlib_msgs/genaction.py"

// TestAgainstGenmsg uses ROS's genmsg and genaction as the oracles for MD5 sums and full texts of every definition.
func TestAgainstGenmsg(t *testing.T) {
	if exec.Command(debianPython, "-c", "import genmsg").Run() != nil {
		t.Skip("no genmsg: apt-get install python3-rospy")
	}
	if _, err := os.Stat(genaction); err != nil {
		t.Skip("no genaction: apt-get install libactionlib-msgs-dev")
	}
	for d, folders := range dialects {
		l := must.Get(Load(d))(t)
		args := []string{"-c", genmsgOracle}
		for _, f := range folders {
			abs := must.Get(filepath.Abs("defs/" + f))(t)
			args = append(args, abs)
			made := t.TempDir()
			for _, action := range must.Get(filepath.Glob(abs + "/*/*.action"))(t) {
				out, err := exec.Command(debianPython, genaction, action, "-o",
					filepath.Join(made, filepath.Base(filepath.Dir(action)))).CombinedOutput()
				if err != nil {
					t.Fatalf("genaction: %v\n%s", err, out)
				}
			}
			args = append(args, made)
		}
		var stderr bytes.Buffer
		cmd := exec.Command(debianPython, args...)
		cmd.Stderr = &stderr
		raw, err := cmd.Output()
		if err != nil {
			t.Fatalf("genmsg: %v\n%s", err, &stderr)
		}
		want, got := map[string][2]string{}, map[string][2]string{}
		must.Do(t, json.Unmarshal(raw, &want))
		for _, n := range l.Messages() {
			m := must.Get(l.Message(n))(t)
			got[n] = [2]string{m.MD5, m.Text}
		}
		for _, n := range l.Services() {
			s := must.Get(l.Service(n))(t)
			got[n] = [2]string{s.MD5, ""}
		}
		must.Equal(t, got, want, "dialect")
	}
}

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
