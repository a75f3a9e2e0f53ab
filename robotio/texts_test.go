package robotio

import (
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// An unknown text in an action is refused while the simulation runs. A kick that is neither flat nor a lob does not
// report success.
func TestUnknownTextsAreRefused(t *testing.T) {
	dir := must.Dir(t, map[string]string{
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
	})
	r := newRig(t, func(w *worlds.World) { w.Robots[0].ROS1.Profiles = []string{filepath.Join(dir, "own.toml")} })
	type (
		kick   struct{ Way string }
		kicked struct{}
	)
	ask := func(way string) error {
		done := make(chan error, 1)
		go func() {
			_, err := ros1.Call[kick, kicked](t.Context(), r.robot, "/cyan1/kick", "my_msgs/Kick", &kick{way})
			done <- err
		}()
		r.until("an answer", func() bool { return len(done) > 0 })
		return <-done
	}
	const want = `way = "flaat": must be one of flat, lob, none; did you mean flat?`
	must.Fail(t, ask("flaat"), want, "the service answers")
	for _, way := range []string{"flat", "none", "keep"} {
		if err := ask(way); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
	pub := advertise[kick](r, "/cyan1/shoot", "my_msgs/Way")
	refused := r.refusal(func() { pub.Publish(&kick{"flaat"}) })
	must.Fail(t, refused, "/cyan1/shoot: ")
	must.Fail(t, refused, want)
}
