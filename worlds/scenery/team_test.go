package scenery

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Shapes with the material team have the colour of the robot's team instead of that of its file.
func TestTeamMaterial(t *testing.T) {
	w := must.Get(worlds.Parse("w.toml", []byte(`
		name = "w"
		[[robot]]
		for_each = [{ name = "a", team = "cyan", x = -1 }, { name = "b", team = "magenta", x = 1 }]
		name = "{name}"
		model = "humanoid-kid"
		team = "{team}"
		pose = { x_m = "{x}" }
		`)))(t)
	s := New(w, w.Model())
	look := w.Robots[0].Look()
	if look.Team[0] < 0 {
		t.Fatal("the trunk of humanoid-kid has no material of its team")
	}
	own := look.Body.Materials[look.Team[0]]
	paints := map[string][]render.Material{}
	for i := range s.Scene.Bodies {
		b := &s.Scene.Bodies[i]
		for _, p := range b.Parts {
			paints[b.Name[:1]] = append(paints[b.Name[:1]], s.Scene.Materials[p.Material])
		}
	}
	all := palette()
	for robot, has := range map[string][3]bool{"a": {true, false, false}, "b": {false, true, false}} {
		for i, m := range []render.Material{all[cyan], all[magenta], own} {
			if slices.Contains(paints[robot], m) != has[i] {
				t.Errorf("robot %s has material %d of cyan, magenta and its own: %v", robot, i, !has[i])
			}
		}
	}
}
