package pitch

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// The dimensions are those of the simulator's fields, and at a kick-off robots are in their half and outside of the
// circle.
func TestPitchesAreTheFields(t *testing.T) {
	for name, league := range map[string]League{"msl-18x12": MiddleSize, "msl-22x14": MiddleSize, "hsl-9x6": Humanoid,
		"hsl-14x9": Humanoid, "hsl-22x14": Humanoid} {
		w := must.Get(worlds.Parse("field.toml",
			[]byte("name = \"field\"\nfield = \""+name+"\"\n[[robot]]\nname = \"r\"\nmodel = \"nubot\"\n")))(t)
		f := &w.Field
		p := Pitch{f.Length, f.Width, league}
		for number := 2; number <= 5; number++ {
			if at := p.KickoffPlace(number); !(at[0] < -0.5 && at.Len() > f.CentreCircle+0.3 && p.Inside(at, 0.5)) {
				t.Errorf("%s: robot %d is at %v at a kick-off", name, number, at)
			}
		}
		for what, pair := range map[string][2]float64{
			"goal":          {p.GoalWidth(), f.GoalWidth},
			"penalty depth": {p.PenaltyDepth(), f.PenaltyAreaDepth},
			"penalty width": {p.PenaltyWidth(), f.PenaltyAreaWidth},
			"goal depth":    {p.GoalAreaDepth(), f.GoalAreaDepth},
			"goal width":    {p.GoalAreaWidth(), f.GoalAreaWidth},
			"penalty mark":  {p.PenaltyMark(), f.PenaltyMark},
		} {
			if !(math.Abs(pair[0]-pair[1]) < 1e-9) {
				t.Errorf("%s: %s is %v m, want %v", name, what, pair[0], pair[1])
			}
		}
	}
}
