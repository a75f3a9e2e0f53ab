package dashboard

import (
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestMotionStatesInBrowser checks that the page shows what a robot with animations does and did, and how it leans. A
// robot without legs has no row.
func TestMotionStatesInBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, must.Get(worlds.Parse("w.toml", []byte(`
name = "w"
physics = { engine = "planar" }
[[robot]]
name = "kid1"
model = "humanoid-kid"
[[robot]]
name = "cart"
model = "differential"
pose = { x_m = 2 }
`)))(t))
	p := browse(t, s)
	p.click("#beliefs-tab")
	cell := func(n, text string) {
		t.Helper()
		p.reads(`[data-motion="kid1"] td:nth-of-type(`+n+`)`, text)
	}
	cell("1", "controllable")
	cell("3", "0°")
	cell("5", "–")
	p.holds(`document.querySelector('[data-motion="cart"]').hidden`)
	s.do(`{"play_animation": {"robot": "kid1", "animation": "wave"}}`)
	p.holds(`/^animation, \d+\u00a0%%$/.test(document.querySelector('[data-motion="kid1"] td').textContent)`)
	p.holds(`/^animation [\d.]+\u00a0s, controllable [\d.]+\u00a0s/.test(document.querySelector('[data-motion="kid1"] td:nth-of-type(5)').textContent)`)
	cell("1", "controllable")
	p.screenshots("motion-states")
}
