package omnipitch

import (
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/worlds"
)

func TestAlarmsRingAtTheirStep(t *testing.T) {
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	type ring struct{ due, at time.Duration }
	const ms = time.Millisecond
	var once, often, fast []ring
	note := func(list *[]ring) func(time.Duration) {
		return func(due time.Duration) { *list = append(*list, ring{due, s.Truth().Time}) }
	}
	s.Clock().After(12*ms, note(&once))
	s.Clock().Every(10*ms, note(&often))
	stop := s.Clock().Every(2*ms, note(&fast))
	never := s.Clock().After(20*ms, func(time.Duration) { t.Error("a stopped timer rang") })
	for i := range 6 {
		if i == 2 {
			stop()
			never()
		}
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if want := []ring{{12 * ms, 15 * ms}}; !slices.Equal(once, want) {
		t.Errorf("once at %v, want %v", once, want)
	}
	if want := []ring{{10 * ms, 10 * ms}, {20 * ms, 20 * ms}, {30 * ms, 30 * ms}}; !slices.Equal(often, want) {
		t.Errorf("often at %v, want %v", often, want)
	}
	if want := []ring{{2 * ms, 5 * ms}, {4 * ms, 5 * ms}, {6 * ms, 10 * ms}, {8 * ms, 10 * ms},
		{10 * ms, 10 * ms}}; !slices.Equal(fast, want) {
		t.Errorf("fast at %v, want %v", fast, want)
	}
}
