package python

import (
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestMain serves simulations if Python has started this test program instead of omnipitch.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve-python" {
		fd, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = Serve(os.Stdin, os.Stdout, fd, Hooks{})
		}
		if err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The Python package's own tests pass.
func TestPackage(t *testing.T) {
	recordings := t.TempDir()
	recordRun(t, recordings+"/match.mcap", true)
	recordRun(t, recordings+"/plain.mcap", false)
	cmd := exec.Command(pypi.Python(t), "-W", "error", "-m", "unittest", "discover", "tests")
	cmd.Env = append(os.Environ(), "OMNIPITCH="+must.Get(os.Executable())(t), "PYTHONDONTWRITEBYTECODE=1",
		"RECORDINGS="+recordings)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// recordRun records one second of a world, a restart, and the same second again.
func recordRun(t *testing.T, path string, exact bool) {
	w := must.Get(worlds.Load("tests/recorded.toml"))(t)
	rec := must.Get(recorder.New(path, w, recorder.Config{Program: "test", Exact: exact}))(t)
	var opts omnipitch.Options
	rec.Hook(&opts)
	sim := must.Get(omnipitch.New(w, opts))(t)
	defer sim.Close()
	rec.Follow(sim)
	for range 2 {
		must.Do(t, sim.Restart(nil))
		for range time.Second / w.Time.Step {
			must.Do(t, sim.Step())
		}
	}
	must.Do(t, rec.Close())
}

// The environments pass the checkers of Gymnasium and PettingZoo.
func TestEnvironments(t *testing.T) {
	cmd := exec.Command(pypi.Python(t, pypi.Environments...), "-m", "unittest", "tests/test_envs.py")
	cmd.Env = append(os.Environ(), "OMNIPITCH="+must.Get(os.Executable())(t), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "skipped") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Everything in observations and in the true state has a place in arrays.
func TestNothingIsLeftOut(t *testing.T) {
	all := []reflect.Type{reflect.TypeFor[physics.Snapshot](), reflect.TypeFor[abstraction.ObjectList](),
		reflect.TypeFor[abstraction.FeatureList]()}
	for _, k := range sensors.Kinds() {
		if r := k.Reading(); r != nil {
			all = append(all, reflect.TypeOf(r))
		}
	}
	for _, of := range all {
		t.Run(of.String(), func(t *testing.T) { fits(t, of, true) })
	}
}

// fits checks that each field has a place. Slices have one only at the top.
func fits(t *testing.T, of reflect.Type, top bool) {
	if _, _, ok := plain(of); ok || of.Kind() == reflect.String {
		return
	}
	switch {
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			if f := of.Field(i); !f.IsExported() {
				continue
			} else if f.Type.Kind() == reflect.Slice && top {
				fits(t, f.Type.Elem(), false)
			} else {
				fits(t, f.Type, false)
			}
		}
	default:
		t.Errorf("%v has no place", of)
	}
}

func TestSnakeCase(t *testing.T) {
	for name, want := range map[string]string{"PosB": "pos_b", "PoseWB": "pose_wb", "TwistWBInW": "twist_wb_in_w",
		"MinU": "min_u", "ID": "id", "VX": "vx", "SelfKnown": "self_known"} {
		must.Equal(t, snakeCase(name), want, "%s", name)
	}
}

// Python and Go agree on the row of the table, and on the largest number of arrays.
func TestTable(t *testing.T) {
	must.Equal(t, headerSize, 5*8+4*maxArrays, "size of a row, which _sim.py reads")
	for _, of := range []reflect.Type{reflect.TypeFor[abstraction.FeatureList](),
		reflect.TypeFor[abstraction.ObjectList]()} {
		if n := of.NumField() + 2; n > maxArrays { // with the camera's pose and a record
			t.Errorf("%v has up to %d arrays, more than %d", of, n, maxArrays)
		}
	}
	if text := string(must.Get(os.ReadFile("omnipitch/_sim.py"))(t)); !strings.Contains(text,
		`"<QQdQq`+strconv.Itoa(maxArrays)+`I"`) {
		t.Error("_sim.py has another number of arrays")
	}
}
