package dashboard

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// keys returns the JSON keys of a type and of the types inside it.
func keys(of reflect.Type, within ...reflect.Type) (all []string) {
	if slices.Contains(within, of) { // a recursive type
		return nil
	}
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return keys(of.Elem(), within...)
	case reflect.Struct:
		for i := range of.NumField() {
			if key, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); key != "" {
				all = append(all, key)
			}
			all = append(all, keys(of.Field(i).Type, append(within, of)...)...)
		}
	}
	return all
}

// TestAPIIsDescribed checks that the description of the API has every request and every key of the messages.
func TestAPIIsDescribed(t *testing.T) {
	text := must.Get(assets.ReadFile("assets/openapi.yaml"))(t)
	for _, path := range strings.Fields(`world state do step actions log expectations cameras/{robot}/{sensor}/next
		depth.png sensors sensors/{robot}/{sensor}/next pace scene scene.glb poses beliefs topics timeline seek card
		recordings results replays replays/{replay}/{request}`) {
		if !strings.Contains(string(text), "\n  /api/"+path+":\n") {
			t.Errorf("request /api/%s is not described", path)
		}
	}
	for _, of := range []any{worldJSON{}, stateJSON{}, seenJSON{}, refusalJSON{}, logJSON{}, expectationJSON{},
		actionJSON{}, overlayJSON{}, readingJSON{}, sensorReportJSON{}, paceJSON{}, sceneJSON{}, beliefsJSON{},
		topicsJSON{}, timelineJSON{}, recordingsJSON{}, resultsJSON{}, replayedJSON{}} {
		all := keys(reflect.TypeOf(of))
		if len(all) == 0 {
			t.Errorf("%T has no keys", of)
		}
		for _, key := range all {
			if !strings.Contains(string(text), key+": ") && !strings.Contains(string(text), key+":\n") {
				t.Errorf("%T: key %s is not described", of, key)
			}
		}
	}
}
