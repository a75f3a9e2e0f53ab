package light

import (
	"slices"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
)

// A result is computed once, also for concurrent calls, and again only after it was evicted.
func TestKnownKeepsWhatWasAskedForLast(t *testing.T) {
	k := cache[int]{most: 2}
	computed := map[content]int{}
	ask := func(of content) {
		if got := k.get(of, func() int { computed[of]++; return int(of) }); got != int(of) {
			t.Fatalf("%d of content %d", got, of)
		}
	}
	for _, of := range []content{1, 2, 1, 3, 1, 2} {
		ask(of)
	}
	if computed[1] != 1 || computed[2] != 2 || computed[3] != 1 || len(k.entries) != 2 {
		t.Errorf("computed %v times, %d kept", computed, len(k.entries))
	}
	var all sync.WaitGroup
	var times int
	for range 8 {
		all.Go(func() { k.get(7, func() int { times++; return 7 }) })
	}
	all.Wait()
	if times != 1 {
		t.Errorf("computed %d times at once", times)
	}
}

// Each number on which a hall's light depends gives another hall; numbers that only scale the light do not.
func TestHallsAreToldApart(t *testing.T) {
	of := func(change func(s *render.Scene)) content {
		s := furnished()
		s.Light.Spots = []render.PointLamp{{PosW: mgl32.Vec3{1, 2, 3}, Light: mgl32.Vec3{5, 5, 5}}}
		change(s)
		_, in := illuminate(s, &s.Shading)
		return in.content
	}
	same := of(func(*render.Scene) {})
	var seen []content
	for name, change := range map[string]func(s *render.Scene){
		"length":   func(s *render.Scene) { s.Floor.SizeX++ },
		"width":    func(s *render.Scene) { s.Floor.SizeY++ },
		"margin":   func(s *render.Scene) { s.Room.Margin++ },
		"height":   func(s *render.Scene) { s.Room.Height++ },
		"wall":     func(s *render.Scene) { s.Room.Wall[1] += 0.1 },
		"ceiling":  func(s *render.Scene) { s.Room.Ceiling[2] += 0.1 },
		"floor":    func(s *render.Scene) { s.Room.Floor[0] += 0.1 },
		"carpet":   func(s *render.Scene) { s.Carpet[0] += 0.1 },
		"sheen":    func(s *render.Scene) { s.Floor.Sheen = 0.1 },
		"lamps":    func(s *render.Scene) { s.Light.DirectionW = mgl32.Vec3{0.6, 0, 0.8} },
		"spot":     func(s *render.Scene) { s.Light.Spots[0].PosW[0]++ },
		"more":     func(s *render.Scene) { s.Light.Spots = append(s.Light.Spots, s.Light.Spots[0]) },
		"no spots": func(s *render.Scene) { s.Light.Spots = nil },
	} {
		c := of(change)
		if c == same || slices.Contains(seen, c) {
			t.Errorf("%s: the same hall", name)
		}
		seen = append(seen, c)
	}
	if of(func(s *render.Scene) {
		s.Light.Lamp, s.Light.Sky, s.Light.Spots[0].Light = mgl32.Vec3{1, 2, 3}, mgl32.Vec3{}, mgl32.Vec3{9, 9, 9}
	}) != same {
		t.Error("brighter lamps make another hall")
	}
}
