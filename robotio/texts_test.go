package robotio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// An unknown text in an action is refused while the simulation runs. A kick that is neither flat nor a lob does not
// report success.
func TestUnknownTextsAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"my_msgs/Kick.srv": "string way\n---\n",
		"my_msgs/Way.msg":  "string way\n",
		"own.toml": `types = ["std", "."]
names = { none = "keep" }
[[service]]
name = "kick"
type = "my_msgs/Kick"
do.kick = { way = "way", speed = 3 }
[[subscribe]]
topic = "shoot"
type = "my_msgs/Way"
do.kick = { way = "way", speed = 3 }
`,
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	r := newRig(t, func(w *worlds.World) { w.Robots[0].ROS1.Profiles = []string{filepath.Join(dir, "own.toml")} })
	robot := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/kicker", MasterURI: r.master, Types: r.bridge.Types()}))(t)
	t.Cleanup(func() { robot.Close() })
	type (
		kick   struct{ Way string }
		kicked struct{}
	)
	ask := func(way string) error {
		done := make(chan error, 1)
		go func() {
			_, err := ros1.Call[kick, kicked](t.Context(), robot, "/cyan1/kick", "my_msgs/Kick", &kick{way})
			done <- err
		}()
		var err error
		r.until("an answer", func() bool {
			select {
			case err = <-done:
				return true
			default:
				return false
			}
		})
		return err
	}
	const want = `way = "flaat": must be one of flat, lob, none; did you mean flat?`
	must.Fail(t, ask("flaat"), want, "the service answers")
	for _, way := range []string{"flat", "none", "keep"} {
		if err := ask(way); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
	pub := must.Get(ros1.Advertise[kick](robot, "/cyan1/shoot", "my_msgs/Way", ros1.PubOptions{Queue: 1,
		Latch: true}))(t)
	pub.Publish(&kick{"flaat"})
	var refused error
	r.until("the refusal", func() bool {
		select {
		case refused = <-r.refused:
			return true
		default:
			return false
		}
	})
	if !strings.Contains(refused.Error(), "/cyan1/shoot: ") || !strings.Contains(refused.Error(), want) {
		t.Errorf("got %v, want %s", refused, want)
	}
}
