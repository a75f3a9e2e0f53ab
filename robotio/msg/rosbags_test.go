package msg

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// rosbags is the Python package that knows definitions, hashes and CDR without ROS.
const rosbags = "rosbags==0.11.9 --hash=sha256:010c5a48b326e4dad6a79183db243c7b59188121d37b629d8c166ecaed3fc890"

// rosbagsStore has store(name, text), which returns rosbags's store of the types in a full text, and the types.
// rosbags takes all types for messages. real maps their names there to those in ROS.
const rosbagsStore = `
import sys, json, re
from rosbags.typesys import Stores, get_typestore, get_types_from_msg
def store(name, text):
    message = lambda n: re.sub('/(srv|action)/', '/msg/', n)
    real = {message(n): n for n in [name] + re.findall('MSG: (.*)', text)}
    def rename(x):
        return real.get(x, x) if isinstance(x, str) else type(x)(map(rename, x)) if type(x) in (list, tuple) else x
    types = get_types_from_msg(re.sub('MSG: .*', lambda m: message(m[0]), text), message(name))
    types = {rename(t): rename(d) for t, d in types.items()}
    s = get_typestore(Stores.EMPTY)
    s.register(types)
    return s, types
`

// rosbagsOracle reads [[type, full text]], and prints the hash of each type and the types that rosbags's own
// definitions of a distribution describe differently.
const rosbagsOracle = rosbagsStore + `
hashes, other = [], []
own = get_typestore(Stores['ROS2_' + sys.argv[1].upper()])
for name, text in json.load(sys.stdin):
    types = store(name, text)[1]
    other += [t for t, d in types.items() if d[1] and own.fielddefs.get(t, d)[1] != d[1]]
    # rosidl hashes char as uint8; rosbags does not
    hashes.append(store(name, re.sub('(?m)^char', 'uint8', text))[0].hash_rihs01(name))
json.dump([hashes, other], sys.stdout)
`

// TestAgainstRosbags uses rosbags as the oracle for fields and hashes of every type of ROS 2.
func TestAgainstRosbags(t *testing.T) {
	python := pypi.Python(t, rosbags)
	for distribution := range distributions {
		var in [][2]string
		defs := ros2Definitions(t, must.Get(LoadROS2(distribution))(t))
		for _, def := range defs {
			in = append(in, [2]string{def.TypeName, def.Text})
		}
		var got struct{ hashes, other []string }
		run(t, in, &[2]*[]string{&got.hashes, &got.other}, python, "-c", rosbagsOracle, distribution)
		for i, def := range defs {
			must.Equal(t, def.Hash, got.hashes[i], "%s %s: hash", distribution, def.TypeName)
		}
		must.Equal(t, got.other, []string{}, "%s: types with other fields", distribution)
	}
}

// run runs a program with in as JSON, and reads its output into out.
func run(t *testing.T, in, out any, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(must.Get(json.Marshal(in))(t)), &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &stderr)
	}
	must.Do(t, json.Unmarshal(raw, out))
}
