package vision_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision/cards"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/colors"
)

// Robots whose cards a front image shows freely are found with their team's colour, and nothing else is taken for one.
func TestMatesAreFound(t *testing.T) {
	each(t, func(t *testing.T, h hall) {
		view := calibrated().front
		f := cards.NewFinder(view, cards.NuBot)
		bands := []float64{1.5, 2.5, 4}
		all, byHeight, bySize := make([]errors, len(bands)), make([]errors, len(bands)), make([]errors, len(bands))
		wrong, told := 0, 0
		scenes(t, h.world(t, 1, false, ""), "front", *seed, *scenesOf, around{0.6, 5, math.Pi}, func(i int, s *scene) {
			mates := f.Find(s.image.Color.Pix)
			taken := make([]bool, len(mates))
			for k, b := range s.bodies {
				robot := strings.HasPrefix(b.name, "cyan") || strings.HasPrefix(b.name, "magenta")
				color := colors.Cyan
				if strings.HasPrefix(b.name, "magenta") {
					color = colors.Magenta
				}
				d, bearing := math.Hypot(b.x-view.Pos[0], b.y-view.Pos[1]), math.Atan2(b.y-view.Pos[1], b.x-view.Pos[0])
				best, err := -1, 0.6
				for m := range mates {
					e := math.Hypot(mates[m].X-b.x, mates[m].Y-b.y)
					if b.name == "magenta1" { // a goalkeeper's cards are smaller: it seems farther away than it is
						e = d * math.Abs(mates[m].Bearing-bearing)
					}
					if e < err && mates[m].Color == color && robot {
						best, err = m, e
					}
				}
				if best >= 0 {
					taken[best] = true
				}
				at, _ := slices.BinarySearch(bands, d)
				if !robot || at == len(bands) || d < 0.6 || math.Abs(bearing) > 0.5-0.14/d || s.hidden(k) || b.name == "magenta1" {
					continue
				}
				all[at].there++
				if best < 0 {
					t.Logf("scene %d: %s at %.2f, %.2f is not found", i, b.name, b.x, b.y)
					continue
				}
				all[at].found = append(all[at].found, err)
				m := &mates[best]
				for _, by := range []struct {
					e *errors
					d float64
				}{{&byHeight[at], m.ByHeight}, {&bySize[at], m.BySize}} {
					by.e.there++
					by.e.found = append(by.e.found, math.Abs(by.d-d))
				}
				t.Logf("%2d %-9s d %.2f: %+.3f height %+.3f size %+.3f, bearing %+.4f, %d cards ±%.3f", i, b.name, d, m.Distance-d, m.ByHeight-d, m.BySize-d, m.Bearing-bearing, m.Cards, m.Deviation)
			}
			for m := range mates {
				if !s.onField(mates[m].X, mates[m].Y) { // as a node leaves out what is beside it
					continue
				}
				if told++; !taken[m] {
					wrong++
					t.Logf("scene %d: told %+v", i, mates[m])
				}
			}
		})
		for k := range all {
			all[k].tell(t, h.name)
			byHeight[k].tell(t, "  by height")
			bySize[k].tell(t, "  by size")
		}
		t.Logf("%d of %d told are none", wrong, told)
	})
}
