package articulated

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Of shapes of the same colour, only those whose material has the name of the team have the material of the team.
func TestTeamMaterialGoesByName(t *testing.T) {
	grey := &[4]float64{0.5, 0.5, 0.5, 1}
	var r Robot
	g, team := &render.Group{}, -1
	for _, m := range []Material{{Name: "grey", Color: grey}, {Name: TeamMaterial, Color: grey}, {Color: grey},
		{Name: TeamMaterial}, {}} {
		v := Visual{Material: m}
		v.Shape, v.Size = Box, mgl64.Vec3{1, 1, 1}
		must.Do(t, r.add(g, &team, &v, spatial.Identity(), "", nil))
	}
	var of []int
	for _, p := range g.Parts {
		of = append(of, p.Material)
	}
	if want := []int{0, 1, 0, 1, 2}; !slices.Equal(of, want) || team != 1 {
		t.Errorf("materials %v, want %v; of the team %d", of, want, team)
	}
}
