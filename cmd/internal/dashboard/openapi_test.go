package dashboard

import (
	"reflect"
	"slices"
	"strings"
	"testing"
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
	text, err := assets.ReadFile("assets/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/api/world",
		"/api/state",
		"/api/do",
		"/api/step",
		"/api/actions",
		"/api/log",
		"/api/expectations",
		"/api/cameras/{robot}/{sensor}/next",
		"/api/depth.png",
		"/api/sensors",
		"/api/sensors/{robot}/{sensor}/next",
		"/api/pace",
		"/api/scene",
		"/api/scene.glb",
		"/api/poses",
		"/api/beliefs",
		"/api/topics",
		"/api/timeline",
		"/api/seek",
		"/api/recordings",
		"/api/results",
		"/api/replays",
		"/api/replays/{replay}/{request}",
	} {
		if !strings.Contains(string(text), "\n  "+path+":\n") {
			t.Errorf("%s is not described", path)
		}
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[worldJSON](),
		reflect.TypeFor[stateJSON](),
		reflect.TypeFor[seenJSON](),
		reflect.TypeFor[refusalJSON](),
		reflect.TypeFor[logJSON](),
		reflect.TypeFor[expectationJSON](),
		reflect.TypeFor[actionJSON](),
		reflect.TypeFor[overlayJSON](),
		reflect.TypeFor[readingJSON](),
		reflect.TypeFor[sensorReportJSON](),
		reflect.TypeFor[paceJSON](),
		reflect.TypeFor[sceneJSON](),
		reflect.TypeFor[beliefsJSON](),
		reflect.TypeFor[topicsJSON](),
		reflect.TypeFor[timelineJSON](),
		reflect.TypeFor[recordingsJSON](),
		reflect.TypeFor[resultsJSON](),
		reflect.TypeFor[replayedJSON](),
	} {
		all := keys(of)
		if len(all) == 0 {
			t.Errorf("%v has no keys", of)
		}
		for _, key := range all {
			if !strings.Contains(string(text), key+": ") && !strings.Contains(string(text), key+":\n") {
				t.Errorf("%v: %s is not described", of, key)
			}
		}
	}
}
