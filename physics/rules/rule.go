package rules

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Rules are the rules that the tags of a field state, in the unit of its key. Each method returns the rule that a value
// breaks, or "".
type Rules struct {
	Unit     Unit
	Interval string // interval in which numbers must lie
	lo, hi   float64
	OneOf    []string
	Match    bool // strings must be names
	MinLen   int
	MaxLen   int // 0: any length
	Required bool
	Fixed    bool   // the value must be the same for every seed, so a file may not give a distribution
	Merge    string // key that identifies the elements of an array when arrays are merged
}

func rulesOf(key string, tag reflect.StructTag) Rules {
	r := Rules{Unit: UnitOf(key), Interval: tag.Get("range"), Merge: tag.Get("merge")}
	if r.Interval != "" {
		r.lo, r.hi = parseInterval(r.Interval)
	}
	if choices, ok := tag.Lookup("oneof"); ok {
		r.OneOf = strings.Split(choices, "|")
	}
	r.MinLen, r.MaxLen = count(tag, "minlen"), count(tag, "maxlen")
	r.Match = choice(tag, "match", "name")
	r.Required = choice(tag, "required", "true")
	r.Fixed = choice(tag, "fixed", "true")
	return r
}

// count reads a tag that holds a positive number; it returns 0 if there is none.
func count(tag reflect.StructTag, name string) int {
	text := tag.Get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	wrongTag(err != nil || n <= 0, name, text)
	return n
}

// choice reads a tag that has one possible value.
func choice(tag reflect.StructTag, name, only string) bool {
	text := tag.Get(name)
	wrongTag(text != "" && text != only, name, text)
	return text != ""
}

func wrongTag(wrong bool, name, text string) {
	if wrong {
		panic(fmt.Sprintf("rules: wrong tag %s:%q", name, text))
	}
}

func parseInterval(s string) (lo, hi float64) {
	a, b, ok := strings.Cut(strings.Trim(s, "[]()"), ",")
	lo, errLo := strconv.ParseFloat(strings.TrimSpace(a), 64)
	hi, errHi := strconv.ParseFloat(strings.TrimSpace(b), 64)
	brackets := len(s) > 2 && strings.ContainsRune("[(", rune(s[0])) && strings.ContainsRune("])", rune(s[len(s)-1]))
	wrongTag(!ok || !brackets || errLo != nil || errHi != nil || !(lo <= hi), "range", s)
	return lo, hi
}

// OfElements returns the rules for the elements of an array.
func (r Rules) OfElements() Rules {
	r.Required, r.MinLen, r.MaxLen, r.Merge = false, 0, 0, ""
	return r
}

// Number judges a number in the unit of the key.
func (r Rules) Number(x float64) string {
	if r.Interval == "" {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return "must be finite"
		}
		return ""
	}
	above := x > r.lo || x == r.lo && r.Interval[0] == '['
	below := x < r.hi || x == r.hi && strings.HasSuffix(r.Interval, "]")
	if above && below {
		return ""
	}
	return "must lie in " + r.Interval
}

func (r Rules) Text(s string) string {
	if r.Required && s == "" {
		return "must not be empty"
	}
	if r.OneOf != nil && !slices.Contains(r.OneOf, s) {
		return "must be " + r.Choices() + DidYouMean(s, r.OneOf)
	}
	if r.Match && !isName(s) {
		return "must be a name: a letter, then letters, digits, _ or -"
	}
	if r.Match && len(s) > maxName {
		return fmt.Sprintf("must be a name of at most %d characters", maxName)
	}
	if n := utf8.RuneCountInString(s); n < r.MinLen {
		return "must have " + atLeast(r.MinLen, "character")
	}
	return ""
}

// maxName is the largest length of a name, in bytes. Some file names contain a robot's name, its sensor's name, and
// text between and after them. They must stay below 255 bytes, the limit of file systems.
const maxName = 64

func (r Rules) Length(n int) string {
	if n < r.MinLen {
		return "must have " + atLeast(r.MinLen, "element")
	}
	if r.MaxLen > 0 && n > r.MaxLen {
		return fmt.Sprintf("must have at most %d elements, has %d", r.MaxLen, n)
	}
	return ""
}

// JudgedLen returns how many of n elements to judge. Elements beyond the limit are not judged, so they cost nothing.
func (r Rules) JudgedLen(n int) int {
	if r.MaxLen > 0 {
		return min(n, r.MaxLen)
	}
	return n
}

// Choices lists the values that oneof allows.
func (r Rules) Choices() string {
	list := slices.DeleteFunc(slices.Clone(r.OneOf), func(s string) bool { return s == "" })
	if len(list) == 1 {
		return list[0]
	}
	return "one of " + strings.Join(list, ", ")
}

func atLeast(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("at least %d %s", n, what)
}

// isName reports whether a string satisfies the rule match:"name".
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && (i == 0 || !isDigit(c) && c != '_' && c != '-') {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// One is for structs that choose one of several things: each field that can be nil stands for one choice. One returns
// the only field that is not nil, and the key of this field. It fails if no field is set; the error is the text ifNone,
// followed by all keys. It also fails if several fields are set; the error then ends with the text ifSeveral.
func One(choice any, ifNone, ifSeveral string) (key string, value any, err error) {
	s := reflect.Indirect(reflect.ValueOf(choice))
	var all, chosen []string
	for i := range s.NumField() {
		field := s.Field(i)
		if k := field.Kind(); k != reflect.Pointer && k != reflect.Slice {
			continue
		}
		key = s.Type().Field(i).Tag.Get("toml")
		all = append(all, key)
		if !field.IsNil() {
			value, chosen = field.Interface(), append(chosen, key)
		}
	}
	switch last := len(chosen) - 1; {
	case last < 0:
		return "", nil, errors.New(ifNone + " " + strings.Join(all, ", "))
	case last > 0:
		return "", nil, fmt.Errorf("has %s and %s: %s", strings.Join(chosen[:last], ", "), chosen[last], ifSeveral)
	}
	return chosen[0], value, nil
}

// Needs returns the tag needs of the field with a key in a struct that [One] judges: what the world must have.
func Needs(choice any, key string) string {
	t := reflect.Indirect(reflect.ValueOf(choice)).Type()
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("toml") == key {
			return f.Tag.Get("needs")
		}
	}
	return ""
}

// Violation is a rule that a field of a struct breaks: `Robots[0].Body.CoMZ = 0.9: must lie below Height`.
type Violation struct {
	Field string // path from the judged struct; empty for the struct itself
	Value any    // value in Go, in SI; nil if there is none to show
	Rule  string // may name other fields in braces: "must lie below {Height}"
	Unit  string // unit of the numbers in the rule; empty for none
	// Within is the path of the struct that states the rule.
	Within string
	err    error
}

func (v *Violation) Error() string {
	where := v.Field
	if value := reflect.ValueOf(v.Value); value.Kind() == reflect.String {
		where += fmt.Sprintf(" = %q", value.String())
	} else if v.Value != nil && where != "" {
		where += fmt.Sprintf(" = %v", v.Value)
	}
	rule := strings.NewReplacer("{", "", "}", "").Replace(v.Rule)
	if v.Unit != "" {
		rule += " " + v.Unit
	}
	if where == "" {
		return rule
	}
	return where + ": " + rule
}

// Unwrap returns the error that a nested Validate returned, or nil.
func (v *Violation) Unwrap() error { return v.err }

// join appends path b to path a.
func join(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}
