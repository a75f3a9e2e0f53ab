package replay

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// When the world restarts, open expectations get their verdict at the end of the episode. No message of a recording
// lies after the end of the run.
func TestVerdictsOfEpisodes(t *testing.T) {
	w := must.Get(worlds.Parse("again.toml", []byte(`
name = "again"
[physics]
engine = "planar"
[[robot]]
name = "cyan1"
model = "nubot"
[[event]]
at_s = 0.1
reset = {}
[[expect]]
name = "open"
eventually = { speed = { name = "ball", over_m_s = 9 } }
`)))(t)
	path := filepath.Join(t.TempDir(), "a.mcap")
	rec, sim := recorded(t, path, w, recorder.Config{})
	defer sim.Close()
	steps(t, sim, 50, nil)
	must.Do(t, rec.Close())
	messages, _ := takeApart(t, path)
	var got []time.Duration
	for _, m := range messages {
		if m.log > 250*time.Millisecond {
			t.Errorf("%s has a message at %v, in a run of 250 ms", m.topic, m.log)
		}
		if m.topic == recorder.Verdicts {
			got = append(got, m.log)
		}
	}
	must.Equal(t, got, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}, "verdicts at")
}
