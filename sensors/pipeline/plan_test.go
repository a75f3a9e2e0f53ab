package pipeline

import (
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Levels that begin alike have different tags, even when the kinds begin alike too.
func TestLevelsAreToldApart(t *testing.T) {
	tags := map[uint64]string{}
	for _, kind := range []sensors.Kind{sensors.OmniKind, sensors.CameraKind, sensors.OwnKind} {
		for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Truth, "range", "rate", "ra", "r",
			"tracks", "", "w", "raw\x00"} {
			for _, delivers := range []bool{false, true} {
				name := string(kind) + " " + string(level)
				in := &instance{kindTag: kindTag(string(kind))}
				tag := in.tag(level, delivers)
				if other, ok := tags[tag]; ok {
					t.Errorf("%q and %q have one tag", name, other)
				}
				tags[tag] = name
			}
		}
	}
}
