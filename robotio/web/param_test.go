package web

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestParam(t *testing.T) {
	got, err := Param([]byte(`{"a":[1,-2147483648,2147483648,1.0,"x",true],"b":{"c":1e3}}`))
	want := map[string]any{"a": []any{1, math.MinInt32, float64(1 << 31), 1.0, "x", true},
		"b": map[string]any{"c": 1000.0}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, %v", got, err)
	}
	for in, want := range map[string]string{
		`null`:           "value = null: must be a value, or the parameter deleted",
		`{"a":[1,null]}`: "a: [1]: value = null: must be a value, or the parameter deleted",
		`{"a":`:          `value = "{\"a\":": must be JSON`,
		`1 2`:            `value = "1 2": must be JSON`,
		`1e999`:          "value = 1e999: must fit float64",

		"[" + strings.Repeat("[],", maxValues/2) + "[]]":          "16387 values: must be at most 16384",
		`{"\\\",,,,":[` + strings.Repeat("1,", maxValues) + "1]}": "16388 values: must be at most 16384",
	} {
		if _, err := Param([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%.40s: %v, want %s", in, err, want)
		}
	}
	if got := string(ParamJSON(map[string]any{"x": math.NaN(), "y": []any{math.Inf(1), 2,
		[]byte("ab")}})); got != `{"x":null,"y":[null,2,"YWI="]}` {
		t.Errorf("got %s", got)
	}
}

func FuzzParam(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5,"x",true]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Param(text)
		if err != nil {
			return
		}
		b := ParamJSON(v)
		if _, err := Param(b); err != nil && !strings.Contains(string(b), "null") {
			t.Fatalf("%s: %v", b, err)
		}
	})
}
