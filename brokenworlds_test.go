package omnipitch

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The worlds broken-camera and lost-level detect each sensor that does not break or heal, and each level that is not
// switched. TestShippedWorldsPass checks that the unchanged worlds pass.
func TestWorldsExpectTheirEvents(t *testing.T) {
	var shared Cache
	for _, c := range []struct {
		world, event string // the event happens, but its action is replaced by one without effect
		want         []string
	}{
		{"broken-camera", "freezes", []string{"frozen_image_stays_bright"}},
		{"broken-camera", "thaws", []string{"whole_image_is_dark"}},
		{"broken-camera", "goes_black", []string{"black_image"}},
		{"broken-camera", "shows_again", []string{"image_is_back"}},
		{"broken-camera", "noise", []string{"loses_the_ball_in_noise"}},
		{"broken-camera", "off", []string{"is_switched", "stays_off"}},
		{"broken-camera", "other_level", []string{"is_switched"}},
		{"broken-camera", "on", []string{"delivers_again"}},
		{"lost-level", "far", []string{"truth_while_far"}},
		{"lost-level", "near", []string{"objects_between"}},
		{"lost-level", "close", []string{"images_while_close", "comes_twice", "images_come"}},
	} {
		w, err := worlds.Load(c.world)
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Events {
			if w.Events[i].Name == c.event {
				// each level that a condition names still occurs in the world
				tooLate := worlds.Event{At: w.Test.For + 1, Choice: w.Events[i].Choice}
				// no effect: the ball is far
				w.Events[i].Choice = action.Choice{Dribble: &action.Dribble{Robot: "cyan1"}}
				w.Events = append(w.Events, tooLate)
			}
		}
		failed := unmet(t, w, Options{NewRenderer: backend.Tile, Cache: &shared})
		if got := namesOf(failed); !slices.Equal(got, c.want) {
			t.Errorf("%s without %s: fail %v, want %v: %v", c.world, c.event, got, c.want, failed)
		}
	}
}
