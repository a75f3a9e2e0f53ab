package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/compare"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// mistaken is a robot's rospy program with errors. It publishes commands of another type with the same name, subscribes
// outside the namespace, and deletes a parameter.
const mistaken = `
import sys
sys.path.insert(0, '../../testdata/rospy')
from definitions import Definitions
import rospy
rospy.init_node('mistaken')
defs = sys.argv[1]
nubot, hawking = Definitions(defs + '/std', defs + '/nubot', defs + '/simatch'), Definitions(defs + '/std', defs + '/hawking')
rospy.Publisher('/nubot1/nubotcontrol/velcmd', hawking.message('nubot_common/VelCmd'), queue_size=1)
rospy.Publisher('/nubot1/nubotcontrol/actioncmd', nubot.message('nubot_common/ActionCmd'), queue_size=1)
rospy.Publisher('/nubot2/nubotcontrol/velcmd', nubot.message('nubot_common/VelCmd'), queue_size=1)
rospy.Subscriber('/nubot2/omnivision/OmniVisionInfo', nubot.message('nubot_common/OminiVisionInfo'), lambda m: None)
rospy.Subscriber('/omnivision/OmniVisionInfo', nubot.message('nubot_common/OminiVisionInfo'), lambda m: None)
rospy.delete_param('/cyan/num')
rospy.set_param('/field/length', 22)
print('ready', flush=True)
rospy.spin()
`

// standIn is a simulator in rospy. It has half of a robot, whose rates are a tenth, and a clock that ticks every 10 ms
// of its own time.
const standIn = `
import sys
sys.path.insert(0, '../../testdata/rospy')
from definitions import Definitions
import rospy
from rosgraph_msgs.msg import Clock
rospy.init_node('gazebo', disable_rostime=True)
defs = sys.argv[1]
types = Definitions(defs + '/std', defs + '/nubot', defs + '/simatch')
Holding = types.message('nubot_common/BallIsHolding')
clock = rospy.Publisher('/clock', Clock, queue_size=1000)
holding = rospy.Publisher('/bot1/ballisholding/BallIsHolding', Holding, queue_size=1000)
rospy.Subscriber('/bot1/nubotcontrol/velcmd', types.message('nubot_common/VelCmd'), lambda m: None)
rospy.Publisher('/bot1/omnivision/OmniVisionInfo', types.message('nubot_common/OminiVisionInfo'), queue_size=1)
print('ready', flush=True)
step = 0
while not rospy.is_shutdown():
    step += 1
    if step % 10 == 0: holding.publish(Holding())
    clock.publish(Clock(rospy.Time(step // 100, step % 100 * 10000000)))
    rospy.rostime.wallsleep(0.002)
`

// compared runs a comparison and returns the rows with problems, by name.
func compared(t *testing.T, uri string, args ...string) (map[string]compare.Row, *compare.Report) {
	t.Helper()
	p := launch(t, uri, append([]string{"ros", "profiles", "--json", "--for", "1s"}, args...)...)
	until(t, "the comparison", p.ended)
	var report compare.Report
	if err := json.Unmarshal([]byte(p.stdout()), &report); err != nil {
		t.Fatalf("%v: %q %q", err, p.stdout(), p.stderr())
	}
	amiss := map[string]compare.Row{}
	for _, row := range report.Rows {
		if row.Amiss {
			amiss[row.Name] = row
		}
	}
	if code := p.exitCode(); (code == console.ExitFailed) != (len(amiss) > 0) ||
		code != console.ExitFailed && code != console.ExitDone {
		t.Errorf("%d names are amiss, exit code %d: %q", len(amiss), code, p.stderr())
	}
	return amiss, &report
}

// TestCompareWithProfile compares a team's program and the simulator with a profile. It must name all mismatches, and
// everything else must match.
func TestCompareWithProfile(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	simulateWorld(t, uri, "simatch-small")
	robot := start(t, uri, debianPython, "-c", mistaken, definitions)
	until(t, "the robot's program", func() bool { return strings.Contains(robot.stdout(), "ready") })
	amiss, report := compared(t, uri, "--compare", "simatch", "--world", "simatch-small", "--robot", "nubot1",
		"--robot", "/nubot2")
	for name, want := range map[string]struct {
		verdict compare.Verdict
		detail  string
	}{
		"/nubot1/nubotcontrol/velcmd": {compare.OtherType, "/mistaken publishes another nubot_common/VelCmd, md5 sum " +
			"d261b0f53254c1f7313cdcefb2c91a71 where 914217797e9c6227112d1ec2a4b462eb is expected: it has " +
			"std_msgs/Header header where float32 Vx is expected"},
		"/omnivision/OmniVisionInfo": {compare.Misnamed, "/mistaken subscribes to it, and nobody publishes it; did " +
			"you mean /nubot1/omnivision/OmniVisionInfo?"},
		"/cyan/num":     {compare.Missing, ""},
		"/field/length": {compare.OtherValue, ""},
	} {
		if row := amiss[name]; row.Verdict != want.verdict || want.detail != "" && strings.Join(row.Details,
			"\n") != want.detail {
			t.Errorf("%s: %+v, want %+v", name, row, want)
		}
		delete(amiss, name)
	}
	if len(amiss) > 0 {
		t.Errorf("%v are amiss, too", amiss)
	}
	if len(report.Rows) < 30 || len(report.Robots) != 2 || report.RealTimeFactor == nil {
		t.Errorf("%+v", report)
	}

	p := launch(t, uri, "ros", "profiles", "--compare", "simatch", "--for", "100ms", "--amiss")
	until(t, "the table", p.ended)
	for _, want := range []string{"profile simatch at " + uri + ": robots /nubot1, /nubot2, /nubot3, /rival1, " +
		"/rival2, /rival3; real-time factor ",
		"! other type", "nubot_common/VelCmd 91421779  nubot_common/VelCmd d261b0f5 ", "\nrows amiss: ",
		"/omnivision/OmniVisionInfo: /mistaken subscribes to it", "! nobody commands  /rival3 "} {
		if out := p.stdout(); !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}

// TestCompareAnotherSimulator compares a foreign simulator. The report must have what is missing, what is too slow by
// the simulator's own clock, and a node that is stopped.
func TestCompareAnotherSimulator(t *testing.T) {
	needROS(t)
	uri, port := freeMaster(t)
	launch(t, uri, "master", "--port", port)
	sim := start(t, uri, debianPython, "-c", standIn, definitions)
	until(t, "the simulator", func() bool { return strings.Contains(sim.stdout(), "ready") })
	profile := filepath.Join(t.TempDir(), "team.toml")
	text := "include = [\"simatch\"]\n[params]\n\"/team/name\" = \"bots\"\n"
	must.Write(t, profile, text)
	stopped := start(t, uri, debianPython, "-c", `
import rospy
from std_msgs.msg import Bool
rospy.init_node('stopped')
rospy.Publisher('/football/bumper_states', Bool, queue_size=1)
rospy.Subscriber('/bot1/ballisholding/BallIsHolding', rospy.AnyMsg, lambda m: print('ready', flush=True))
rospy.spin()
`)
	// Waits until its connection exists. A rospy node accepts no others while it waits for the header of a peer.
	until(t, "the other program", func() bool { return strings.Contains(stopped.stdout(), "ready") })
	stopped.signal(syscall.SIGSTOP)
	amiss, report := compared(t, uri, "--compare", profile)
	stopped.signal(syscall.SIGCONT)
	if len(report.Robots) != 1 || report.Robots[0] != "bot1" {
		t.Errorf("robots %v", report.Robots)
	}
	for name, want := range map[string]compare.Verdict{
		"/bot1/ballisholding/BallIsHolding": compare.OutOfReach,
		"/football/bumper_states":           compare.OutOfReach,
		"/bot1/nubotcontrol/actioncmd":      compare.Missing,
		"/bot1":                             compare.Uncommanded,
		"/team/name":                        compare.Missing,
		"/gazebo/model_states":              compare.Missing,
	} {
		if row := amiss[name]; row.Verdict != want {
			t.Errorf("%s: %+v, want %s", name, row, want)
		}
	}
	for _, name := range []string{"/bot1/omnivision/OmniVisionInfo", "/bot1/Shoot", "/bot1/nubotcontrol/teleop_joy",
		"/general/ball_decay_coef"} {
		if row, known := amiss[name]; known {
			t.Errorf("%+v", row)
		}
	}
	amiss, _ = compared(t, uri, "--compare", profile)
	if row := amiss["/bot1/ballisholding/BallIsHolding"]; row.Verdict != compare.OtherRate || row.Found.Rate == nil ||
		!(*row.Found.Rate > 2 && *row.Found.Rate < 40) {
		t.Errorf("%+v", row)
	}
	if row := amiss["/football/bumper_states"]; row.Verdict != compare.OtherType {
		t.Errorf("%+v", row)
	}
}

// TestCompareRefuses checks that an impossible comparison is refused with a sentence.
func TestCompareRefuses(t *testing.T) {
	free, _ := freeMaster(t)
	t.Setenv("ROS_MASTER_URI", free)
	for _, c := range []struct {
		args string
		want string
		code int
	}{
		{"--compare simatch",
			`^omnipitch: no ROS master answers at ` + free +
				`: start what is to be compared, or set ROS_MASTER_URI\n$`, console.ExitUnavailable},
		{"--compare simach",
			`profile = "simach": is no profile that ships with omnipitch and no file, did you mean "simatch"\?`,
			console.ExitBadInput},
		{"--compare simatch nubot", `profile "nubot" to print and "simatch" to compare: give only one`,
			console.ExitBadInput},
		{"--compare simatch --for 0s", `--for = 0s: must be positive`, console.ExitBadInput},
		{"--compare simatch --world simach", `world "simach"`, console.ExitBadInput},
		{"--json", `need --compare`, console.ExitBadInput},
	} {
		refuses(t, c.code, c.want, append([]string{"ros", "profiles"}, strings.Fields(c.args)...)...)
	}
}

// TestProfilesAtPaths checks that a profile at a path is checked and listed like shipped ones, and is not taken for a
// world.
func TestProfilesAtPaths(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return must.Write(t, filepath.Join(dir, name), text) }
	const text = "about = \"ours\"\ninclude = [\"gazebo\"]\ntypes = [\"std\"]\n[[publish]]\ntopic = \"eye\"\nmore = " +
		"\"{sensor}/eye\"\ntype = \"std_msgs/Bool\"\nfrom = \"camera\"\nlevels = [\"truth\"]\n"
	good := write("good.toml", text+"message = { data = \"ball.seen\" }\n")
	bad := write("bad.toml", text+"message = { data = \"ball.sene\" }\n")
	world := write("world.toml", "include = [\"nubot-attack\"]\nseed = 1\npublish = 1\n")

	if code, stdout, stderr := command(t, "check", good); code != 0 || !strings.HasPrefix(stdout,
		good+": ok, a profile") {
		t.Errorf("check: exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr := command(t, "ros", "profiles", good)
	if code != 0 || !strings.HasPrefix(stdout, "ours\n") ||
		!regexp.MustCompile(
			`(?m)^eye +\{sensor\}/eye +std_msgs/Bool +published +camera +truth +1 +\S+good.toml$`).MatchString(stdout) ||
		!regexp.MustCompile(`(?m)^/gazebo/model_states .* gazebo$`).MatchString(stdout) {
		t.Errorf("profiles: exit code %d, %s%s", code, stdout, stderr)
	}
	const wrong = `data = "ball.sene": is no number here at truth; there are `
	if code, stdout, _ := command(t, "check", bad); code != console.ExitBadInput || !strings.Contains(stdout,
		bad+":10:") || !strings.Contains(stdout, wrong) {
		t.Errorf("check: exit code %d, %s", code, stdout)
	}
	prints(t, console.ExitBadInput, wrong, "ros", "profiles", bad)
	prints(t, console.ExitBadInput, good+": is a profile, not a world", "run", "--ros1", "off", "--for", "1s", good)
	prints(t, console.ExitBadInput, world+":3:1: publish = 1: unknown key", "check", world)
}
