package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// infoOf returns the output of info for a recording.
func infoOf(t *testing.T, path string) (info infoJSON, ok bool) {
	t.Helper()
	code, stdout, _ := command(t, "info", path, "--json")
	if code != console.ExitDone {
		return info, false
	}
	must.Do(t, json.Unmarshal([]byte(stdout), &info))
	return info, true
}

func (i *infoJSON) messages(topic string) (n uint64) {
	for _, t := range i.Topics {
		if t.Topic == topic {
			n += t.Messages
		}
	}
	return n
}

// TestWorldsThatRecord checks that a world may configure the recording of its runs. It goes into the working folder and
// replaces no existing file. Flags have priority, and a replay records nothing.
func TestWorldsThatRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	world := must.File(t, "w.toml", "name = \"w\"\ninclude = [\"chase-ball\"]\n[record]\nfile = \"own.mcap\"\nexact "+
		"= true\n")
	run := func(want int, args ...string) (stderr string) {
		t.Helper()
		code, _, stderr := command(t, append([]string{"run", world, "--ros1", "off", "--speed", "max", "--for", "1s"},
			args...)...)
		if code != want {
			t.Fatalf("%q: exit code %d, want %d: %s", args, code, want, stderr)
		}
		return stderr
	}
	names := func() string { return strings.Join(slices.Sorted(maps.Keys(contents(t, "."))), " ") }
	if run(console.ExitDone, "--record", "off"); names() != "" {
		t.Errorf("--record off leaves %s", names())
	}
	wantLines(t, run(console.ExitDone), "w: recording into own.mcap, as [record] of the world says")
	if i, ok := infoOf(t, "own.mcap"); !ok || i.messages("/omnipitch/states") == 0 {
		t.Errorf("%+v", i)
	}
	before := contents(t, ".")["own.mcap"]
	if said := run(console.ExitBadInput); !strings.Contains(said, "own.mcap") ||
		!strings.Contains(said, "--record FILE names another, --record off turns") ||
		contents(t, ".")["own.mcap"] != before {
		t.Error(said)
	}
	run(console.ExitDone, "--record", "other.mcap", "--record-off")
	if i, ok := infoOf(t, "other.mcap"); !ok || i.messages("/omnipitch/states")+i.messages("/omnipitch/truth") != 0 ||
		i.messages("/omnipitch/hashes") == 0 || i.On != nil {
		t.Errorf("switched off: %+v", i)
	}
	prints(t, console.ExitDone, "the states of 201 steps equal those of the recording\n", "replay", "other.mcap",
		"--check")
	run(console.ExitDone, "--record", "other.mcap", "--overwrite", "--no-record-exact", "--record-on")
	if i, ok := infoOf(t, "other.mcap"); !ok || i.messages("/omnipitch/states") != 0 ||
		i.messages("/omnipitch/truth") == 0 {
		t.Errorf("not exact: %+v", i)
	}
	run(console.ExitDone, "--overwrite")
	for _, args := range [][]string{{"--continue", "--for", "1s"}, {"--speed", "max"}} {
		prints(t, console.ExitDone, "", append([]string{"replay", "own.mcap", "--ros1", "off"}, args...)...)
	}
	if code, _, stderr := command(t, "test", world, "--without-expect", "--for", "1s"); code == console.ExitBadInput {
		t.Error(stderr)
	}
	must.Equal(t, names(), "other.mcap own.mcap", "files")
	prints(t, console.ExitDone, "", "replay", "own.mcap", "--from", "500ms", "--sensor", "*=truth", "--out", "seen")
}

// TestRecordTablesThatCannotBe checks that impossible settings of worlds and flags are refused with a sentence, and
// that nothing is written.
func TestRecordTablesThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	table := func(text string) string {
		return must.File(t, "w.toml", "name = \"w\"\ninclude = [\"chase-ball\"]\n[record]\n"+text)
	}
	for text, want := range map[string]string{
		`file = "../own.mcap"`:              `w.toml:4:1: record: file = "../own.mcap": must be a name`,
		`file = "/tmp/own.mcap"`:            "must be a name",
		`file = "a/own.mcap"`:               "must be a name",
		`file = "C:\\own.mcap"`:             "must be a name",
		`file = ".mcap"`:                    "must be a name",
		`file = "bashrc"`:                   "must be a name",
		`images = "gif"`:                    "must be one of png, jpeg, raw",
		`jpeg_quality = 101`:                "must lie in [1, 100]",
		`topics = ["/cyan2/*", "a b"]`:      `"a b" must be a full name on ROS 1`,
		`sensors = ["cyan2.omi"]`:           `"cyan2.omi" matches no sensor`,
		`sensors = ["cyan2.[om"]`:           "is no pattern",
		`fil = "a.mcap"`:                    "did you mean file?",
		"[[event]]\nrecord = { of = true }": "record",
	} {
		for _, args := range [][]string{{"check", table(text)}, {"run", table(text), "--ros1", "off", "--for", "1s"}} {
			prints(t, console.ExitBadInput, want, args...)
		}
	}
	for _, c := range []struct {
		want string
		args string
	}{
		{"--record-images = \"gif\": must be png, jpeg", "--record a.mcap --record-images gif"},
		{"--record-images = \"\"", "--record a.mcap --record-images="},
		{"--record-off: needs --record, which is off", "--record off --record-off"},
		{"--record-off: needs --record, or a world", "--record-off"},
		{"--record-sensor = \"cyan1.*\": matches no sensor", "--record a.mcap --record-sensor cyan1.*"},
		{"--overwrite: needs --out or --record", "--overwrite"},
	} {
		refuses(t, console.ExitBadInput, regexp.QuoteMeta(c.want), append([]string{"run", "chase-ball", "--ros1",
			"embedded:0", "--for", "1s"}, strings.Fields(c.args)...)...)
	}
	if left := contents(t, "."); len(left) > 0 {
		t.Errorf("left %d files", len(left))
	}
}

// TestProgramsSwitchARecording checks that a camera is recorded while programs have it on, with the compression of the
// world. The whole run must still be replayable.
func TestProgramsSwitchARecording(t *testing.T) {
	program(t) // is built here
	t.Chdir(t.TempDir())
	world := must.File(t, "w.toml", `name = "w"
include = ["chase-ball"]
[[robot]]
name = "cyan2"
sensor = [ { name = "front", level = "raw", image = { width_px = 32, height_px = 24 } } ]
[record]
file = "own.mcap"
on = false
sensors = ["cyan2.front"]
images = "jpeg"
jpeg_quality = 50
`)
	const image = "/cyan2/front_vision/image_raw"
	uri, _ := freeMaster(t)
	p := simulateWorld(t, uri, world)
	node := rosNode(t, uri, "/strategy")
	turn := func(on bool) {
		var all sync.WaitGroup
		for range 2 { // two programs at once
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				a, err := ros1.Call[msg.SetBoolRequest, msg.SetBoolResponse](ctx, node, "/omnipitch/record",
					"std_srvs/SetBool", &msg.SetBoolRequest{Data: on})
				if err != nil || !a.Success {
					t.Errorf("%+v, %v", a, err)
				}
			})
		}
		all.Wait()
	}
	const partial = "own.mcap.partial"
	await := func(what string, ok func(i *infoJSON) bool) {
		t.Helper()
		p.await(what, func() bool {
			i, there := infoOf(t, partial)
			return there && ok(&i)
		})
	}
	await("a recording that shows nothing", func(i *infoJSON) bool {
		return i.messages("/omnipitch/hashes") > 0 && i.messages("/omnipitch/truth") == 0
	})
	turn(true)
	await("images", func(i *infoJSON) bool { return i.messages(image+"/compressed") > 0 })
	turn(false)
	await("the end of the part that is shown",
		func(i *infoJSON) bool { return i.messages("/omnipitch/recording") == 3 })
	p.interrupt()
	i, ok := infoOf(t, "own.mcap")
	if !ok || len(i.On) != 1 || i.On[0][0] <= 0 || i.On[0][1] >= i.To || i.messages("/omnipitch/truth") == 0 ||
		i.messages(image) != 0 {
		t.Errorf("%+v", i)
	}
	if n := len(slices.DeleteFunc(i.Topics, func(t topicJSON) bool { return t.Topic != image+"/compressed" })); n != 1 {
		t.Errorf("%d channels of images: the simulator's own compressed ones are those that are left out", n)
	}
	if _, err := os.Stat(partial); err == nil {
		t.Error("there is an unfinished one, too")
	}
	if text := prints(t, console.ExitDone, "", "replay", "own.mcap", "--check"); strings.Contains(text, "lacks") {
		t.Error(text)
	}
}

// TestSuiteRecordsFailures checks that a suite keeps recordings of failed runs, with exact states if the world requests
// them.
func TestSuiteRecordsFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	world := must.File(t, "w.toml", "name = \"w\"\ninclude = [\"chase-ball\"]\nrecord = { exact = true, file = "+
		"\"own.mcap\" }\n[[expect]]\nname = \"never\"\neventually = { in_area = { name = \"ball\", area = "+
		"\"cyan_goal\" } }\nwithin_s = 1\n")
	prints(t, console.ExitBadInput, "--record: needs --out", "test", world, "--record")
	said := prints(t, console.ExitFailed, "", "test", world, "--seeds", "1..2", "--out", "failures", "--record")
	wantLines(t, said, "    recording: failures/w.1.mcap\n", "    recording: failures/w.2.mcap\n")
	if i, ok := infoOf(t, "failures/w.2.mcap"); !ok || i.messages("/omnipitch/states") == 0 || i.Run["seed"] != "2" {
		t.Errorf("%+v", i)
	}
	prints(t, console.ExitDone, "equal those of the recording\n", "replay", "failures/w.2.mcap", "--check")
	prints(t, console.ExitFailed, "", "test", world, "--out", "failures", "--record", "--overwrite")
	if _, ok := infoOf(t, "failures/w.2.mcap"); ok {
		t.Error("--overwrite leaves an earlier recording")
	}
}

// TestRecordingsSayWhatTheyLack checks that a request for data which a recording does not have is an error with a
// remedy.
func TestRecordingsSayWhatTheyLack(t *testing.T) {
	program(t) // is built here
	t.Chdir(t.TempDir())
	world := must.File(t, "w.toml", "name = \"w\"\ninclude = [\"chase-ball\"]\nrecord = { file = \"own.mcap\", "+
		"topics = [\"/cyan2/odom\"], exact = true }\n")
	must.Write(t, "left.mcap.partial", "of a run that was killed")
	run := "run " + world + " --for 500ms --speed max --level *=truth --ros1 "
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{console.ExitDone, "w: no topic matched /nobody/*, /cyan?/x: see omnipitch ros list\n", run +
			"embedded:0 --record a.mcap --record-topic /nobody/* --record-topic /clock --record-topic /cyan?/x"},
		{console.ExitBadInput,
			"file exists: another process is writing it, or left it incomplete: remove or " +
				"overwrite it, or give another name", run + "off --record left.mcap"},
		{console.ExitDone,
			"w: topics and sensors of [record] are not recorded: topics exist only on ROS, not with " +
				"--ros1 off\n", run + "off"},
		{console.ExitBadInput,
			"--world = \"ten-robots\": has 10 robots and 0 obstacles: must have as many as the " +
				"recorded world, 1 and ", "replay own.mcap --ros1 off --world ten-robots"},
		{console.ExitBadInput, "omnipitch: --sensor nobody.omni=raw: there is no sensor nobody.omni",
			"replay own.mcap --ros1 off --sensor nobody.omni=raw"},
	} {
		prints(t, c.code, c.want, strings.Fields(c.args)...)
	}
	// Deliveries before a run continues by itself do not count for rates.
	s := summaryOf(t, "replay", "own.mcap", "--from", "400ms", "--continue", "--for", "200ms", "--speed", "max",
		"--ros1", "off", "--out", "seen")
	for _, sensor := range s.Sensors {
		if sensor.Sensor == "odometry" && (sensor.Frames != 20 || sensor.Rate != 100) {
			t.Errorf("%+v, want 20 frames in 0.2 s", sensor)
		}
	}
}
