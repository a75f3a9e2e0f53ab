package schema

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// rules are what the tags of a field say, in the unit of its key. Their methods return the rule that a value breaks,
// or "".
type rules struct {
	unit     unit
	interval string
	lo, hi   float64
	oneof    []string
	match    bool
	minlen   int
	maxlen   int // 0: any length
	required bool
	merge    string
}

func rulesOf(key string, tag reflect.StructTag) rules {
	r := rules{unit: unitOf(key), interval: tag.Get("range"), merge: tag.Get("merge")}
	if r.interval != "" {
		r.lo, r.hi = parseInterval(r.interval)
	}
	if choices, ok := tag.Lookup("oneof"); ok {
		r.oneof = strings.Split(choices, "|")
	}
	r.minlen, r.maxlen = count(tag, "minlen"), count(tag, "maxlen")
	r.match = choice(tag, "match", "name")
	r.required = choice(tag, "required", "true")
	return r
}

// count reads a tag that holds a positive number; 0 if there is none.
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
		panic(fmt.Sprintf("schema: wrong tag %s:%q", name, text))
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

// ofElements are the rules that the elements of an array keep.
func (r rules) ofElements() rules {
	r.required, r.minlen, r.maxlen, r.merge = false, 0, 0, ""
	return r
}

// number judges a number in the unit of the key.
func (r rules) number(x float64) string {
	if r.interval == "" {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return "must be finite"
		}
		return ""
	}
	above := x > r.lo || x == r.lo && r.interval[0] == '['
	below := x < r.hi || x == r.hi && strings.HasSuffix(r.interval, "]")
	if above && below {
		return ""
	}
	return "must lie in " + r.interval
}

// fits judges the number that a value of the file is; the interval of a key says more than what 64 bits hold.
func (r rules) fits(v *value, x float64) string {
	if r.interval == "" {
		return cmp.Or(v.overflow(), r.number(x))
	}
	return cmp.Or(r.number(x), v.overflow())
}

func (r rules) text(s string) string {
	if r.required && s == "" {
		return "must not be empty"
	}
	if r.oneof != nil && !slices.Contains(r.oneof, s) {
		return "must be " + r.choices() + didYouMean(s, r.oneof)
	}
	if r.match && !isName(s) {
		return "must be a name: a letter, then letters, digits, _ or -"
	}
	if r.match && len(s) > maxName {
		return fmt.Sprintf("must be a name of at most %d characters", maxName)
	}
	if n := utf8.RuneCountInString(s); n < r.minlen {
		return "must have " + atLeast(r.minlen, "character")
	}
	return ""
}

// maxName bounds names, in bytes. Files are named after a robot and its sensor: two names and what is between and behind
// them stay below the 255 bytes of file systems.
const maxName = 64

func (r rules) length(n int) string {
	if n < r.minlen {
		return "must have " + atLeast(r.minlen, "element")
	}
	if r.maxlen > 0 && n > r.maxlen {
		return fmt.Sprintf("must have at most %d elements, has %d", r.maxlen, n)
	}
	return ""
}

// looked returns how many of n elements are looked at: what is beyond the most costs nothing more.
func (r rules) looked(n int) int {
	if r.maxlen > 0 {
		return min(n, r.maxlen)
	}
	return n
}

// choices lists what oneof allows.
func (r rules) choices() string {
	list := slices.DeleteFunc(slices.Clone(r.oneof), func(s string) bool { return s == "" })
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
