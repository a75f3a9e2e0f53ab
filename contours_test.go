package omnipitch

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds"
)

// tally counts comparisons, and those that failed.
type tally struct{ of, off int }

func (c *tally) add(off bool) {
	c.of++
	if off {
		c.off++
	}
}

// featureAgreement counts how well features from outlines agree with features from pixels.
type featureAgreement struct{ boxes, found, shares, balls, cards, points, segments, posts, bars tally }

// featuresOf returns a camera's features, computed from outlines or from pixels.
func featuresOf(t *testing.T, s *Sim, in camera, pixels bool) *abstraction.FeatureList {
	t.Helper()
	in.Config().Vision.FeaturesFromPixels = pixels
	o, err := s.Sensors().Capture(in.robotName, in.Config().Name, abstraction.Features)
	if err != nil {
		t.Fatal(err)
	}
	return o.Features // never released: the caller keeps it
}

// compareBoxes compares the boxes with at least a given number of pixels.
func compareBoxes(t *testing.T, who string, got, want []abstraction.BoxFeature, least int, boxes, found,
	shares *tally) {
	for i := range want {
		b := &want[i]
		k := slices.IndexFunc(got, func(a abstraction.BoxFeature) bool { return a.Name == b.Name })
		if b.Pixels < least {
			continue
		}
		if found.add(k < 0); k < 0 {
			t.Logf("%s: nothing of %s, of which %d pixels are seen", who, b.Name, b.Pixels)
			continue
		}
		a := &got[k]
		off := max(math.Abs(a.MinU-b.MinU), math.Abs(a.MaxU-b.MaxU), math.Abs(a.MinV-b.MinV), math.Abs(a.MaxV-b.MaxV))
		if boxes.add(!(off <= 1)); !(off <= 1) {
			t.Logf("%s: %s in [%g, %g] × [%g, %g], its pixels in [%g, %g] × [%g, %g]", who, b.Name, a.MinU, a.MaxU,
				a.MinV, a.MaxV, b.MinU, b.MaxU, b.MinV, b.MaxV)
		}
		if b.Pixels >= 5*leastPixels {
			shares.add(!(math.Abs(a.Confidence-b.Confidence) <= 0.05))
		}
	}
	for i := range got {
		if a := &got[i]; a.Pixels >= least {
			found.add(!slices.ContainsFunc(want, func(b abstraction.BoxFeature) bool { return b.Name == a.Name }))
		}
	}
}

// compare compares a camera's features from outlines with those from pixels.
func (c *featureAgreement) compare(t *testing.T, s *Sim, in camera) {
	t.Helper()
	got, want := featuresOf(t, s, in, false), featuresOf(t, s, in, true)
	who := in.robotName + "." + in.Config().Name
	compareBoxes(t, who, got.Obstacles, want.Obstacles, leastPixels, &c.boxes, &c.found, &c.shares)
	var share tally // for cards always 1
	compareBoxes(t, who+" (cards)", got.Cards, want.Cards, leastPixels, &c.cards, &c.found, &share)
	if c.found.add(len(got.Balls) != len(want.Balls)); len(got.Balls) == len(want.Balls) {
		for i, b := range want.Balls {
			a := got.Balls[i]
			c.balls.add(!(math.Hypot(a.U-b.U, a.V-b.V) <= 1 && math.Abs(a.Diameter-b.Diameter) <= 1.5))
		}
	}
	near := func(all [][2]float64, p [2]float64) bool {
		return slices.ContainsFunc(all, func(q [2]float64) bool { return math.Hypot(p[0]-q[0], p[1]-q[1]) <= 1 })
	}
	for _, p := range want.LinePoints {
		c.points.add(!near(got.LinePoints, p))
	}
	for _, p := range got.LinePoints {
		c.points.add(!near(want.LinePoints, p))
	}
	sum := func(all []abstraction.SegmentFeature) (lines float64) {
		for _, l := range all {
			lines += l.Confidence
		}
		return lines
	}
	c.segments.add(!(math.Abs(sum(got.Segments)-sum(want.Segments)) <= 0.02*sum(want.Segments)+0.1))
	c.posts.add(!reflect.DeepEqual(got.Posts, want.Posts))
	for i := range max(len(got.Bars), len(want.Bars)) {
		c.bars.add(len(got.Bars) != len(want.Bars) || !(max(offPixels(got.Bars[i].Left, want.Bars[i].Left),
			offPixels(got.Bars[i].Right, want.Bars[i].Right)) <= 3))
	}
}

func offPixels(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// judge fails the test if a larger share of the comparisons failed than allowed.
func (c *featureAgreement) judge(t *testing.T) {
	t.Helper()
	for _, j := range []struct {
		what string
		tally
		most float64
	}{
		// Slivers between two bodies, or behind the rods of the camera's mirror, appear in only one of the two.
		{"boxes", c.boxes, 0.05}, {"detections", c.found, 0.02}, {"visible shares", c.shares, 0.02},
		{"balls", c.balls, 0.03},
		// A card seen edge-on is a sliver. So is the part of a card that the coarser shape of the tower does not hide.
		{"boxes of cards", c.cards, 0.2},
		// Distant lines are thinner than a pixel.
		{"line points", c.points, 0.04}, {"sums of line segments", c.segments, 0.05}, {"lists of posts", c.posts, 0},
		// A distant bar is thinner than a pixel, and behind the net of the goal.
		{"bars", c.bars, 0.05},
	} {
		t.Logf("%s: %d of %d are off", j.what, j.off, j.of)
		if j.of == 0 || !(float64(j.off) <= j.most*float64(j.of)) {
			t.Errorf("%s: %d of %d are off", j.what, j.off, j.of)
		}
	}
}

// Features from outlines are within one pixel of features from pixels, in random scenes.
func TestOutlinesAgreeWithPixels(t *testing.T) {
	var c featureAgreement
	randomScenes(t, (*scenes+1)/2, func(s *Sim, rnd *rand.Rand) {
		cameras := camerasOf(s)
		c.compare(t, s, cameras[rnd.IntN(len(cameras))])
	})
	c.judge(t)
}

// Features from outlines agree with features from pixels in shipped worlds too, with their robots, lenses, mirrors,
// heads, extensions, props and boards.
func TestOutlinesAgreeWithPixelsInShippedWorlds(t *testing.T) {
	var c featureAgreement
	for _, name := range []string{"ladder", "simatch", "drives", "lenses"} {
		w, err := worlds.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Robots {
			for j := range w.Robots[i].Sensors {
				if k := &w.Robots[i].Sensors[j]; k.Image != nil {
					k.Vision = &abstraction.VisionConfig{MaxRange: 8}
				}
			}
		}
		s, err := New(w, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range camerasOf(s)[:min(3, len(camerasOf(s)))] {
			c.compare(t, s, in)
		}
		s.Close()
	}
	c.judge(t)
}
