package robotio

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

var boosterBrain = flag.Bool("booster.brain", false, "let a brain in Python on CycloneDDS play with a T1, for 15 s")

// A brain that knows only the texts of Booster's public messages, in Python on CycloneDDS, finds the ball with the head
// of a T1, walks there on its legs and kicks. Its requests are answered.
func TestBoosterBrainKicks(t *testing.T) {
	if !*boosterBrain {
		t.Skip("takes 15 s: make verify-booster")
	}
	python := pypi.Python(t, pypi.CycloneDDS...)
	world := strings.Replace(boosterWorld, "pose = { x_m = -2 }",
		"pose = { x_m = -1.5, y_m = 0.6, heading_deg = 60 }\nkicker = { max_speed_m_s = 5, lob_angle_deg = 20 }", 1)
	world = strings.Replace(world, `ros2 = { profiles = ["booster"] }`,
		`ros2 = { profiles = ["booster"], namespace = "/" }`, 1)
	w := must.Get(worlds.Load(simtest.BoosterT1(t, "..", world)))(t)
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	defer sim.Close()
	domain := must.Domain(t)
	bridge := must.Get(NewBridge(sim.Sim, newROS2Node(t, domain, "/omnipitch"), Options{
		Refused: func(err error) { t.Log(err) }}))(t)
	defer bridge.Close()

	cmd := exec.Command(python, "testdata/booster_brain.py", fmt.Sprint(domain))
	cmd.Env = append(os.Environ(), ddspeer.Setup{}.Environ()...)
	brain := ddspeer.Run(t, cmd)
	run, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := sim.Run(run, omnipitch.Pace{Speed: timesync.RealTime})
		done <- err
	}()
	for begun := time.Now(); len(brain.Starting("the ball is")) == 0 && time.Since(begun) < 90*time.Second; {
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	must.Do(t, <-done)
	said := strings.Join(brain.Starting(""), "\n")
	t.Log(said)
	for _, want := range []string{`prepare 0 `, `walk 0 `, `mode 0 {"mode":2}`, `unknown 501 `, `misread 400 `,
		`found the ball with the head at -?\d`, `kicks the ball at 0\.`, `the ball is \d\.\d m away`} {
		if !regexp.MustCompile("(?m)^" + want).MatchString(said) {
			t.Errorf("the brain has not said %q", want)
		}
	}
	truth := sim.Truth()
	r := &truth.Robots[0]
	must.Equal(t, r.Kicks >= 1, true, "the robot has kicked")
	if rolled := math.Hypot(truth.Ball.PosW[0], truth.Ball.PosW[1]); !(rolled > 0.5) {
		t.Errorf("the ball has rolled by %.2f m", rolled)
	}
	roll, pitch, _ := r.PoseWB.RollPitchYaw()
	must.Near(t, "tilt of the robot", math.Hypot(roll, pitch), 0, 0.3)
}
