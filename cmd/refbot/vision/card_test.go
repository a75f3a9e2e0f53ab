package vision

import (
	"math"
	"testing"
)

// seenAt is what a card of measures shows exactly at a distance from a camera of a height that is pitched by so much
// more than it is taken to be.
func seenAt(m CardMeasures, distance, height, tilt float64) elevation {
	at := func(z float64) float64 { return math.Tan(math.Atan((z-height)/distance) + tilt) }
	return elevation{at(m.Height + m.Size/2), at(m.Height - m.Size/2), 0.002}
}

// The distance is that of the geometry, below and above the camera, by each method and by both.
func TestDistanceIsTheOracles(t *testing.T) {
	for _, height := range []float64{0.3, 0.5, 0.78, 1.2} {
		for _, want := range []float64{0.5, 1, 2.5, 4} {
			e := seenAt(NuBotCards, want, height, 0)
			both, deviation := NuBotCards.distance(&e, height)
			for name, got := range map[string]float64{"height": NuBotCards.byHeight(&e, height),
				"size": NuBotCards.bySize(&e),
				"both": both} {
				if !(math.Abs(got-want) < 1e-9) {
					t.Errorf("camera %.2f m high, card at %.1f m: by %s at %.6f", height, want, name, got)
				}
			}
			if !(deviation > 0 && deviation < 0.1) {
				t.Errorf("camera %.2f m high, card at %.1f m: deviation %.3f m", height, want, deviation)
			}
		}
	}
}

// At the camera's height the elevation is useless, and so it is with the wrong sign. Then the size decides.
func TestAngleTellsNothingAtTheCamerasHeight(t *testing.T) {
	const want = 2.0
	for name, c := range map[string]struct{ height, tilt, within float64 }{
		"same height": {NuBotCards.Height, 0, 1e-9}, "same height, tilted": {NuBotCards.Height, 0.01, 1e-3},
		"wrong side": {NuBotCards.Height + 0.005, 0.02, 1e-2},
	} {
		e := seenAt(NuBotCards, want, c.height, c.tilt)
		if got := NuBotCards.byHeight(&e, c.height); !math.IsInf(got, 1) {
			t.Errorf("%s: by height at %v", name, got)
		}
		if got, _ := NuBotCards.distance(&e, c.height); !(math.Abs(got-want) < c.within*want) {
			t.Errorf("%s: at %.6f, want %.1f", name, got, want)
		}
	}
}

// A camera tilted by δ has an error of D²/|Δh|·δ by the elevation alone, and almost none by the size.
func TestTiltCostsWhatTheDocsSay(t *testing.T) {
	const height, tilt = 0.5, 0.0005
	for _, d := range []float64{1, 2, 3} {
		e := seenAt(NuBotCards, d, height, -tilt) // the card seems lower, and so nearer
		want := d * d / (height - NuBotCards.Height) * tilt
		if got := d - NuBotCards.byHeight(&e, height); !(math.Abs(got-want) < 0.05*want) {
			t.Errorf("at %.0f m: the angle is off by %.4f m, want %.4f", d, got, want)
		}
		// The difference of two tangents changes by the slope of the tangent, 1 + tan²: by 2·tan·δ of itself.
		if got, most := d-NuBotCards.bySize(&e), 2.2*d*math.Abs(e.middle())*tilt; !(math.Abs(got) < most) {
			t.Errorf("at %.0f m: the size is off by %.5f m, at most %.5f", d, got, most)
		}
	}
}
