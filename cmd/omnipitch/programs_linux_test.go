package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// programWorld is the beginning of a world with programs. Tests append the programs.
const programWorld = `
name = "w"
physics = { engine = "planar" }
robot = [ { name = "cyan1", model = "nubot", drive = { level = "kinematic" }, sensor = [ { name = "omni", level = "truth" }, { name = "front", level = "truth" } ] } ]
`

// lockstepWorld is a world whose steps wait for a robot.
const lockstepWorld = `time = { speed = "lockstep", wait_for = [ { robot = "cyan1", timeout_ms = 300 } ] }` +
	programWorld

// sh returns a program that is a shell script, with more keys of its table.
func sh(script string, keys ...string) string {
	return "\n[[program]]\nname = \"bot\"\nrobot = \"cyan1\"\ncommand = [\"sh\", \"-c\", '''" + script + "''']\n" +
		strings.Join(keys, "\n")
}

// TestProgramsFail checks that a program which crashes, hangs or never starts is one failure. The failure must give the
// reason and the output of the process.
func TestProgramsFail(t *testing.T) {
	for _, c := range []struct {
		name, world string
		code        int
		want        []string
	}{
		{"ends", programWorld + sh("echo began; sleep 0.1; echo 'Traceback: no ball' >&2; exit 3"), console.ExitFailed,
			[]string{"program bot: ended with exit code 3 at ", " s of sim time; it printed:\n    began\n    " +
				"Traceback: no ball"}},
		{"ends well, and is not to", programWorld + sh("exit 0"), console.ExitFailed,
			[]string{"program bot: ended with exit code 0 at "}},
		{"is killed", programWorld + sh("kill -9 $$"), console.ExitFailed,
			[]string{"program bot: was ended by signal 9 (killed) at ", "it printed nothing"}},
		{"is not there", programWorld + "[[program]]\nname = \"bot\"\ncommand = [\"no-such-program\"]",
			console.ExitBadInput,
			[]string{`program bot: command = "no-such-program": `, "executable file not found"}},
		{"is not there, by its path", programWorld + "[[program]]\nname = \"bot\"\ncommand = [\"./bot\"]",
			console.ExitBadInput, []string{`program bot: command = "./bot": `, "no such file"}},
		{"has no folder", programWorld + sh("exit 0", `folder = "nowhere"`), console.ExitBadInput,
			[]string{"program bot: folder: stat ", "no such file or directory"}},
		{"never subscribes", programWorld + sh("echo began; exec sleep 1000",
			`wait_for = { subscribes = ["/cyan1/odom"], publishes = ["/plan"] }`, "within_s = 1"), console.ExitFailed,
			[]string{"program bot: was not ready within 1s of wall time: there is no subscriber of /cyan1/odom, " +
				"no publisher of /plan; it printed:\n    began"}},
		{"never says that it is ready", programWorld + sh("echo began; exec sleep 1000",
			`wait_for = { prints = "ready" }`, "within_s = 1"), console.ExitFailed,
			[]string{`program bot: was not ready within 1s of wall time: there is no line with "ready" in its output`}},
		{"never connects, and is waited for", lockstepWorld + sh("echo began; exec sleep 1000", "within_s = 4"),
			console.ExitFailed,
			[]string{"programs: the first step has not begun within 4s of wall time: waiting for robot cyan1, " +
				"which lacks a subscriber of /clock", "program bot: it printed:\n    began"}},
		{"ends again and again", programWorld + sh("echo began; exit 1", `at_exit = "restart"`, "restarts = 2"),
			console.ExitFailed,
			[]string{"program bot: ended with exit code 1 at ", "after it had been started again 2 times",
				"began\n    began\n    began"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := launch(t, "", "run", aWorld(t, c.world), "--programs", "--ros1", "embedded:0")
			p.wantExit(c.code, c.want...)
		})
	}
}

// TestProgramsRun checks that programs run in the folder and environment of the world, and that a run continues without
// those that may end.
func TestProgramsRun(t *testing.T) {
	world := aWorld(t,
		programWorld+sh(
			`echo "$PWD $OMNIPITCH_WORLD $OMNIPITCH_SEED $ROS_NAMESPACE $ROS_IP $MORE"; echo "$ROS_MASTER_URI" | sed 's/[0-9]*.$/N/'`,
			`env = { MORE = "a b" }`, `at_exit = "ignore"`, `wait_for = { prints = "http" }`))
	start(t, "", "env", "ROS_NAMESPACE=other", "ROS_IP=192.0.2.1", program(t), "run", world, "--programs", "--ros1",
		"embedded:0", "--for", "100ms", "--seed", "7").wantExit(console.ExitDone, "bot: "+filepath.Dir(world)+
		" w 7 cyan1 127.0.0.1 a b\n", "bot: http://127.0.0.1:N\n", "0.10 s simulated")
}

// TestWorldsStartNoPrograms checks that without --programs no command starts the programs of a world.
func TestWorldsStartNoPrograms(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "started")
	world := aWorld(t, programWorld+sh("touch "+trace))
	const hint = ": program bot is not started: --programs starts it, with your rights\n"
	launch(t, "", "run", world, "--ros1", "embedded:0", "--for", "50ms").wantExit(console.ExitDone, hint)
	launch(t, "", "check", world).wantExit(console.ExitDone)
	launch(t, "", "test", world, "--without-expect").wantExit(console.ExitBadInput, hint)
	if _, err := os.Stat(trace); err == nil {
		t.Error("the program was started")
	}
}

// suites is the number of suites that TestSuiteWithPrograms runs. `make verify-programs` sets it to a larger value.
var suites = flag.Int("programs.suites", 1, "how often TestSuiteWithPrograms runs a suite, beside a busy loop a core "+
	"if more than once")

// TestSuiteWithPrograms checks a suite whose runs wait for two rospy programs each. The suite must pass, and a run must
// end in the same state alone and alongside others.
func TestSuiteWithPrograms(t *testing.T) {
	needROS(t)
	script := must.Get(filepath.Abs("../../testdata/rospy/inturn.py"))(t)
	text := `
name = "two"
include = ["in-turn"]
test = { for_s = 3 }
expect = [ { name = "closer", eventually = { near = { name = "cyan1", of = "magenta1", within_m = 5.7 } } } ]
`
	for _, robot := range []string{"cyan1", "magenta1"} {
		odometry, vision := "/"+robot+"/odom", "/"+robot+"/omnivision/OmniVisionInfo"
		text += fmt.Sprintf("[[program]]\nname = %q\nrobot = %q\nwithin_s = 120\ncommand = [%q, \"-B\", %q, %q, "+
			"\"/clock\", %q, %q]\n", robot, robot, debianPython, script, robot, odometry, vision)
	}
	world := aWorld(t, text)
	program(t)
	if *suites > 1 {
		load(t)
	}
	hashes := map[uint64]string{}
	for i := range *suites {
		for _, args := range [][]string{{"--seeds", "1..2", "--jobs", "2"}, {"--seeds", "2"}} {
			uri, _ := freeMaster(t)
			var outcome suiteSummary
			text := launch(t, uri, append([]string{"test", world, "--programs", "--json"}, args...)...).end()
			if err := json.Unmarshal([]byte(text), &outcome); err != nil || outcome.Passed != outcome.Runs ||
				len(outcome.Worlds) != 1 || outcome.Runs != len(outcome.Worlds[0].Results) {
				t.Fatalf("suite %d: %v\n%s", i, err, text)
			}
			for _, r := range outcome.Worlds[0].Results {
				if was, ok := hashes[r.Seed]; ok && was != r.StateHash || r.StateHash == "" {
					t.Errorf("suite %d, seed %d: state %q, was %q", i, r.Seed, r.StateHash, was)
				}
				hashes[r.Seed] = r.StateHash
			}
		}
	}
	t.Logf("%d suites, states %v", *suites, hashes)
	if len(hashes) != 2 || hashes[1] == hashes[2] {
		t.Errorf("states %v of two seeds", hashes)
	}
}

// TestProgramsPage checks that docs/programs.md quotes the world and the program in testdata/programs, and the output
// of their tests, both when they pass and when the program gets a wrong heading. Each expectation must fail when the
// program breaks the behaviour that it checks.
func TestProgramsPage(t *testing.T) {
	needROS(t)
	page := read(t, "../../docs/programs.md")
	dir := t.TempDir()
	save := func(name, text string) { must.Write(t, filepath.Join(dir, name), text) }
	quoted := func(name string) string {
		text := read(t, "../../testdata/programs/"+name)
		shown := "\n" + regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(text, "    $1") + "\n"
		if !strings.Contains(page, shown) {
			t.Errorf("docs/programs.md does not show %s as it is", name)
		}
		return text
	}
	world, script := quoted("reckon.toml"), quoted("reckon.py")
	suite := func(args ...string) string {
		p := start(t, "", append([]string{"env", "-C", dir, program(t), "test", "--programs"}, args...)...)
		p.exitCode() // fails if a run does
		return p.stdout()
	}
	variable := regexp.MustCompile(`in [\d.]+ s:`)
	shows := func(where, out string, lines []string) {
		for _, line := range lines {
			if want := variable.ReplaceAllString(line, "N"); !strings.Contains(variable.ReplaceAllString(out, "N"),
				want) {
				t.Errorf("%s shows\n%s\nwhich is not in\n%s", where, line, out)
			}
		}
	}
	save("reckon.toml", world)
	save("reckon.py", script)
	var shown []shownCommand
	for _, c := range commandsOf(t, "../../docs/programs.md") {
		if strings.HasPrefix(c.text, "omnipitch test") {
			shown = append(shown, c)
		}
	}
	if len(shown) != 2 {
		t.Fatalf("%d commands", len(shown))
	}
	shows(shown[0].place, suite("reckon.toml", "--seeds", "1..2"), shown[0].lines)

	save("reckon.toml", strings.Replace(world, `"90"]`, `"80"]`, 1))
	shows(shown[1].place, suite("reckon.toml"), shown[1].lines)

	broken := []struct{ name, from, to, want string }{
		{"seldom", "    publish(estimates, m)", "    if odometry.header.seq % 3 == 0: publish(estimates, m)",
			"tells-it-often: failed"},
		{"late", "    m.header.frame_id = 'map'", "    m.header.stamp = rospy.Time(max(0, m.header.stamp.to_sec() - " +
			"0.05))", "tells-it-at-once: failed"},
		{"still", "drive.linear.x, drive.angular.z = 1, -0.6", "", "drives: undecided"},
	}
	args := []string{"--for", "3s"}
	for _, c := range broken {
		if !strings.Contains(script, c.from) {
			t.Fatalf("%s: the program has no %s", c.name, c.from)
		}
		save(c.name+".toml", strings.Replace(world, "reckon.py", c.name+".py", 1))
		save(c.name+".py", strings.Replace(script, c.from, c.to, 1))
		args = append(args, c.name+".toml")
	}
	out := suite(args...)
	for _, c := range broken {
		_, of, _ := strings.Cut(out, c.name+".toml: 1 run: 0 passed, 1 failed\n")
		of, _, _ = strings.Cut(of, "again:")
		if !strings.Contains(of, c.want) {
			t.Errorf("%s: does not say %s:\n%s", c.name, c.want, out)
		}
	}
}

// TestProgramHangs checks that a hanging program is a failure after its robot's timeout, and that the failure shows its
// output.
func TestProgramHangs(t *testing.T) {
	needROS(t)
	script := `
import time, rospy
from geometry_msgs.msg import Twist
from rosgraph_msgs.msg import Clock
rospy.init_node("bot")
commands = rospy.Publisher("cmd_vel", Twist, queue_size=1)
def tick(m):
    if m.clock.to_sec() > 0.05:
        print("hangs")
        time.sleep(1000)
    commands.publish(Twist())
rospy.Subscriber("/clock", Clock, tick)
rospy.spin()
`
	world := aWorld(t, strings.Replace(lockstepWorld, "300", "1000",
		1)+fmt.Sprintf("[[program]]\nname = \"bot\"\nrobot = \"cyan1\"\ncommand = [%q, \"-B\", \"-c\", '''%s''']\n",
		debianPython, script))
	launch(t, "", "run", world, "--programs", "--ros1", "embedded:0").wantExit(console.ExitFailed,
		"robot cyan1 has not answered what it got at ", "program bot: it printed:\n    hangs")
}
