package msg

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

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
            full = p + '/' + n
            c = genmsg.MsgContext.create_default()
            s = ml.load_msg_by_type(c, full, search) if e == '.msg' else ml.load_srv_by_type(c, full, search)
            ml.load_depends(c, s, search)
            text = genmsg.gentools.compute_full_text(c, s) if e == '.msg' else ''
            out[full] = [genmsg.gentools.compute_md5(c, s), text]
json.dump(out, sys.stdout)
`

// TestAgainstGenmsg uses ROS's genmsg as the oracle for MD5 sums and full texts of every definition.
func TestAgainstGenmsg(t *testing.T) {
	if exec.Command(debianPython, "-c", "import genmsg").Run() != nil {
		t.Skip("no genmsg: apt-get install python3-rospy")
	}
	for d, folders := range dialects {
		l := must.Get(Load(d))(t)
		args := []string{"-c", genmsgOracle}
		for _, f := range folders {
			abs := must.Get(filepath.Abs("defs/" + f))(t)
			args = append(args, abs)
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
