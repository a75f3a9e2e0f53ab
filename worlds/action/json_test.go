package action

import (
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
)

// Each kind of action comes back from JSON unchanged, whatever is in its fields.
func TestActionsComeBack(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	choice := reflect.TypeFor[Choice]()
	for i := range choice.NumField() {
		for range 200 {
			v, ok := quick.Value(choice.Field(i).Type.Elem(), random)
			if !ok {
				t.Fatalf("%v", choice.Field(i).Type)
			}
			was := reflect.New(v.Type())
			was.Elem().Set(v)
			switch a := was.Interface().(type) { // a colour is read as strictly as in a world file
			case *SetBallColor:
				a.Color = "#ff8000"
			case *SetCarpetColor:
				a.Color = "#0080ff"
			}
			key, fields, err := Marshal(was.Interface().(Action))
			if err != nil {
				t.Fatalf("%s: %v", choice.Field(i).Name, err)
			}
			is, err := Unmarshal(key, fields)
			if err != nil {
				t.Fatalf("%s: %v\n%s", choice.Field(i).Name, err, fields)
			}
			if !reflect.DeepEqual(is, was.Interface()) {
				t.Fatalf("%s: got %+v, want %+v\n%s", key, is, was, fields)
			}
		}
	}
}

// Unknown actions are errors.
func TestOtherActionsAreRefused(t *testing.T) {
	for key, fields := range map[string]string{"": "{}", "fly": "{}", "drive": "[]", "place": `{"X": "a"}`, "end": ""} {
		if a, err := Unmarshal(key, []byte(fields)); err == nil {
			t.Errorf("%s %s: got %+v", key, fields, a)
		}
	}
}
