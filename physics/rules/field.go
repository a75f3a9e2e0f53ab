package rules

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Chooser is a string type with few values. Choices of its zero value lists them.
type Chooser interface{ Choices() []string }

var DurationType = reflect.TypeFor[time.Duration]()

// Field is a key of a table and the Go field that holds it.
type Field struct {
	Name  string // name in Go; for a field of an inline struct, preceded by the struct's field name
	Key   string
	Was   string // old names of the key, separated by |
	Value reflect.Value
	Rules Rules
	Doc   string
}

// Fields lists the fields of a struct that have keys, and the structs inside it that are inline.
func Fields(s reflect.Value) (fields []Field, inlined []reflect.Value) {
	tagged := taggedOf(s.Type())
	fields = make([]Field, 0, len(tagged))
	for _, t := range tagged {
		if !t.inline {
			t.Value = s.Field(t.index)
			fields = append(fields, t.Field)
			continue
		}
		if inner, ok := StructIn(s.Field(t.index)); ok {
			f, more := Fields(inner)
			for k := range f {
				f[k].Name = join(t.Name, f[k].Name)
			}
			fields, inlined = append(fields, f...), append(append(inlined, inner), more...)
		}
	}
	if inlined != nil {
		mustDiffer(s.Type(), fields)
	}
	return fields, inlined
}

// tagged is a field of a struct type with its tags, without a Value. For an inline struct only Name is set; Name is ""
// if the struct is embedded.
type tagged struct {
	Field
	index  int
	inline bool
}

// tags caches the fields of each type, by reflect.Type. Reading tags would take two thirds of the time of binding and
// checking a file.
var tags sync.Map

func taggedOf(t reflect.Type) []tagged {
	if known, ok := tags.Load(t); ok {
		return known.([]tagged)
	}
	var list []tagged
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		key, option, _ := strings.Cut(sf.Tag.Get("toml"), ",")
		switch {
		case key == "-" || option == "outer" || !sf.IsExported() && !sf.Anonymous:
		case sf.Anonymous && (option == "inline" || key == ""):
			list = append(list, tagged{index: i, inline: true})
		case option == "inline":
			list = append(list, tagged{Field: Field{Name: sf.Name}, index: i, inline: true})
		case key != "":
			f := Field{Name: sf.Name, Key: key, Was: sf.Tag.Get("was"), Rules: rulesOf(key, sf.Tag),
				Doc: sf.Tag.Get("doc")}
			if c, ok := reflect.Zero(sf.Type).Interface().(Chooser); ok {
				f.Rules.OneOf = c.Choices()
			}
			f.mustFit(sf)
			list, fields = append(list, tagged{Field: f, index: i}), append(fields, f)
		}
	}
	mustDiffer(t, fields)
	tags.Store(t, list)
	return list
}

// mustDiffer panics if two fields have the same key.
func mustDiffer(t reflect.Type, fields []Field) {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Key] {
			panic(fmt.Sprintf("rules: %s has two fields with the key %s", t, f.Key))
		}
		seen[f.Key] = true
	}
}

// StructIn returns the struct behind pointers and interfaces. The bool reports whether there is a struct.
func StructIn(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v, v.Kind() == reflect.Struct
}

// mustFit panics if the field's type cannot hold the unit of its key.
func (f Field) mustFit(sf reflect.StructField) {
	t := sf.Type
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Pointer ||
		t.Kind() == reflect.Map {
		t = t.Elem()
	}
	wrong := t == DurationType && f.Rules.Unit.Tick == 0 || t != DurationType && IsInteger(t.Kind()) &&
		f.Rules.Unit.Converts()
	if wrong {
		panic(fmt.Sprintf("rules: a field of type %s cannot hold the key %s", sf.Type, f.Key))
	}
}

func IsInteger(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uint64 }

// RootStruct returns the struct behind a pointer. If cfg is a struct and not a pointer, it returns a copy. The result
// is addressable.
func RootStruct(cfg any) reflect.Value {
	v := reflect.ValueOf(cfg)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		panic(fmt.Sprintf("rules: %T is no struct", cfg))
	}
	return Addressable(v)
}

// Addressable returns the value v, or an addressable copy of it if v has no address.
func Addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// Unit converts a number in a file to SI: it multiplies by mul and divides by div. It has a divisor because a division
// by 1000 is correctly rounded, but a product with 0.001 is not.
type Unit struct {
	Suffix, Name string // suffix of the key, and the unit's symbol
	mul, div     float64
	Tick         time.Duration // one unit of time; 0 for all others
}

var units = []Unit{
	{"_deg", "deg", math.Pi, 180, 0},
	{"_deg_s", "deg/s", math.Pi, 180, 0},
	{"_deg_s2", "deg/s²", math.Pi, 180, 0},
	{"_deg_s_rthz", "deg/s/√Hz", math.Pi, 180, 0},
	{"_rad", "rad", 1, 1, 0},
	{"_rad_s", "rad/s", 1, 1, 0},
	{"_rad_s2", "rad/s²", 1, 1, 0},
	{"_rad_s_rthz", "rad/s/√Hz", 1, 1, 0},
	{"_s", "s", 1, 1, time.Second},
	{"_ms", "ms", 1, 1e3, time.Millisecond},
	{"_us", "µs", 1, 1e6, time.Microsecond},
	{"_ns", "ns", 1, 1e9, time.Nanosecond},
	{"_m", "m", 1, 1, 0},
	{"_cm", "cm", 1, 1e2, 0},
	{"_mm", "mm", 1, 1e3, 0},
	{"_um", "µm", 1, 1e6, 0},
	{"_m_s", "m/s", 1, 1, 0},
	{"_m_s2", "m/s²", 1, 1, 0},
	{"_m_s2_rthz", "m/s²/√Hz", 1, 1, 0},
	{"_kg", "kg", 1, 1, 0},
	{"_kg_m2", "kg·m²", 1, 1, 0},
	{"_n", "N", 1, 1, 0},
	{"_nm", "N·m", 1, 1, 0},
	{"_w", "W", 1, 1, 0},
	{"_v", "V", 1, 1, 0},
	{"_a", "A", 1, 1, 0},
	{"_k", "K", 1, 1, 0},
	{"_hz", "Hz", 1, 1, 0},
	{"_kbit_s", "kbit/s", 1e3, 1, 0},
	{"_e_s", "e/s", 1, 1, 0},
	{"_px", "px", 1, 1, 0},
	{"_lux", "lx", 1, 1, 0},
	{"_percent", "%", 1, 1e2, 0},
	{"_ppm", "ppm", 1, 1e6, 0},
}

// UnitOf returns the unit of a key by its suffix. For a key without a unit suffix it returns a unit without a name,
// which does not change numbers.
func UnitOf(key string) Unit {
	best := Unit{mul: 1, div: 1}
	for _, u := range units {
		if len(u.Suffix) > len(best.Suffix) && len(key) > len(u.Suffix) && strings.HasSuffix(key, u.Suffix) {
			best = u
		}
	}
	return best
}

func (u Unit) Converts() bool                   { return u.mul != u.div }
func (u Unit) ToSI(x float64) float64           { return x * u.mul / u.div }
func (u Unit) FromSI(x float64) float64         { return x * u.div / u.mul }
func (u Unit) FromTime(d time.Duration) float64 { return float64(d) / float64(u.Tick) }

// SplitUnit cuts the unit off a key: vx_m_s is vx in m/s. The unit is "" if the key has none.
func SplitUnit(key string) (name, unit string) {
	u := UnitOf(key)
	return strings.TrimSuffix(key, u.Suffix), u.Name
}

// InKeyUnit returns the value of a float or a duration in the unit of its key.
func InKeyUnit(v reflect.Value, u Unit) float64 {
	if v.Type() == DurationType {
		return u.FromTime(time.Duration(v.Int()))
	}
	if !u.Converts() {
		return v.Float()
	}
	// rounded to 12 digits, so that converting 360 deg to SI and back gives 360 deg
	x, _ := strconv.ParseFloat(strconv.FormatFloat(u.FromSI(v.Float()), 'g', 12, 64), 64)
	return x
}
