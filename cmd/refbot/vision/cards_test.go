package vision_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Robots whose cards are in plain view in a front image are found with their team, up to 4 m, within 5 cm in the
// median, with almost no false positives. No table is fitted to the light.
func TestMatesAreFound(t *testing.T) {
	each(t, func(t *testing.T, h hall) {
		view := calibrated().front
		f := vision.NewCardFinder(view, vision.NuBotCards)
		bands := []float64{1.5, 2.5, 4}
		all, byHeight := make([]errors, len(bands)), make([]errors, len(bands))
		wrong, told := 0, 0
		scenes(t, h.world(t, 1, false, ""), "front", *seed, *scenesOf, around{nearest: 0.6, farthest: 5, side: math.Pi,
			others: 0.6}, func(i int, s *scene) {
			mates := f.Find(s.image.Color.Pix)
			taken := make([]bool, len(mates))
			for k, b := range s.bodies {
				color := vision.ClassCyan
				switch {
				case strings.HasPrefix(b.name, "magenta"):
					color = vision.ClassMagenta
				case !strings.HasPrefix(b.name, "cyan"):
					continue
				}
				x, y := b.x-view.Pos[0], b.y-view.Pos[1]
				d, bearing := math.Hypot(x, y), math.Atan2(y, x)
				best, err := -1, 0.6
				for m := range mates {
					e := math.Hypot(mates[m].X-b.x, mates[m].Y-b.y)
					if b.name == "magenta1" { // a goalkeeper's cards are smaller, so it seems farther away
						e = d * math.Abs(mates[m].Bearing-bearing)
					}
					if e < err && mates[m].Color == color {
						best, err = m, e
					}
				}
				if best >= 0 {
					taken[best] = true
				}
				at, _ := slices.BinarySearch(bands, d)
				if at == len(bands) || d < 0.6 || math.Abs(bearing) > 0.5-0.14/d || s.hidden(k) ||
					b.name == "magenta1" {
					continue
				}
				all[at].there++
				if best < 0 {
					t.Logf("scene %d: %s at %.2f, %.2f is not found", i, b.name, b.x, b.y)
					continue
				}
				all[at].found = append(all[at].found, err)
				byHeight[at].there++
				byHeight[at].found = append(byHeight[at].found, math.Abs(mates[best].ByHeight-d))
			}
			for m := range mates {
				if !s.onField(mates[m].X, mates[m].Y) { // the node drops objects beside the field
					continue
				}
				if told++; !taken[m] {
					wrong++
					t.Logf("scene %d: told %+v", i, mates[m])
				}
			}
		})
		var any errors
		for k := range all {
			all[k].tell(t, "robots to "+strconv.FormatFloat(bands[k], 'g', -1, 64)+" m")
			byHeight[k].tell(t, "  distance by height")
			any.found, any.there = append(any.found, all[k].found...), any.there+all[k].there
		}
		t.Logf("%d of %d told are none", wrong, told)
		if !(any.median() <= 0.05) || !(any.share() >= 0.9) || wrong*10 > told+9 {
			t.Errorf("robots: median %.3f m, %.2f of %d found, %d of %d told are none", any.median(), any.share(),
				any.there, wrong, told)
		}
	})
}
