package mapping

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
)

// sort is a sort of quantities, and the names of those that there are.
type sort struct {
	name string
	of   func(*quantities) []string
}

var (
	numbers = sort{"number", func(q *quantities) []string { return slices.Sorted(maps.Keys(q.Numbers)) }}
	times   = sort{"time", func(q *quantities) []string { return slices.Sorted(maps.Keys(q.Times)) }}
	lists   = sort{"list", func(q *quantities) []string { return slices.Sorted(maps.Keys(q.Lists)) }}
	vectors = sort{"quantity of several numbers",
		func(q *quantities) []string { return slices.Sorted(maps.Keys(q.Vectors)) }}
	blobs = sort{"quantity of bytes or of several numbers", func(q *quantities) []string {
		return append(slices.Sorted(maps.Keys(q.Blobs)), vectors.of(q)...)
	}}
	numbersAndTexts = sort{"number and no text", func(q *quantities) []string {
		return append(numbers.of(q), slices.Sorted(maps.Keys(q.Texts))...)
	}}
)

// feeder is something that has quantities: a robot, or a kind of sensor, and of a camera the levels at which there are
// the same.
type feeder struct {
	from   string
	levels []abstraction.Level // nil of what has the same at all
	known  *quantities
}

// feeders are all that there are. Quantities of cameras that do not depend on the level are those of a feeder without
// levels.
var feeders = sync.OnceValue(func() []feeder {
	all := []feeder{{fromRobot, nil, quantitiesOf(fromRobot, nil)}}
	for _, from := range slices.Concat([]string{fromCameras}, sensors.Kind("").Choices()) {
		all = append(all, feeder{from, nil, quantitiesOf(from, nil)})
		if !takesImages(from) {
			continue
		}
		for _, levels := range [][]abstraction.Level{{abstraction.Raw, abstraction.Ideal}, {abstraction.Features},
			{abstraction.Objects, abstraction.Truth}} {
			all = append(all, feeder{from, levels, quantitiesOf(from, levels)})
		}
	}
	return all
})

// elsewhere ends an error about a quantity that there is not: with the levels at which there is one, the lists whose
// members have it or the sensors that do, or else with what was probably meant, or with some that there are.
func (c compiler) elsewhere(name string, s sort) string {
	known := s.of(c.known)
	if slices.Contains(known, name) {
		return ""
	}
	if at := c.levelsWith(name, s); at != nil {
		return "; " + c.giveLevels(name, at)
	}
	var within []string
	for _, list := range slices.Sorted(maps.Keys(c.known.Lists)) {
		if slices.Contains(s.of(c.known.Lists[list].Members), name) {
			within = append(within, list)
		}
	}
	if within != nil {
		return fmt.Sprintf("; members of lists have it: { each = %q, … }%s", within[0], orOf(within[1:]))
	}
	if has := c.sensorsWith(name, s); has != "" {
		return "; it is of " + has + " only"
	}
	if rules.Nearest(name, known) == "" {
		for _, f := range feeders() {
			if near := rules.Nearest(name, s.of(f.known)); f.from == c.from && f.levels != nil && near != "" {
				return fmt.Sprintf("; did you mean %q? That one %s", near,
					strings.TrimPrefix(c.giveLevels(near, f.levels), "it "))
			}
		}
	}
	return meantOrFew(name, known)
}

func orOf(more []string) string {
	if len(more) == 0 {
		return ""
	}
	return " (or " + few(more) + ")"
}

// levelsWith are the levels at which what the entry is from has a quantity.
func (c compiler) levelsWith(name string, s sort) (at []abstraction.Level) {
	for _, f := range feeders() {
		if f.from == c.from && slices.Contains(s.of(f.known), name) {
			at = append(at, f.levels...)
		}
	}
	return at
}

// giveLevels says at which levels there is a quantity, and at which the entry is fed.
func (c compiler) giveLevels(name string, at []abstraction.Level) string {
	var quoted []string
	for _, l := range at {
		quoted = append(quoted, fmt.Sprintf("%q", l))
	}
	fed := "all levels"
	if c.levels != nil {
		fed = abstraction.Levels(c.levels).String()
	}
	return fmt.Sprintf("it exists at %v, and this topic is fed at %s: give levels = [%s]", abstraction.Levels(at), fed,
		strings.Join(quoted, ", "))
}

// sensorsWith are the kinds of sensors that have a quantity, with their levels where it is not all; or the robot.
func (c compiler) sensorsWith(name string, s sort) string {
	if c.from == "" {
		return ""
	}
	var has []string
	at := map[string]abstraction.Levels{}
	for _, f := range feeders() {
		if f.from == c.from || f.from == fromCameras || !slices.Contains(s.of(f.known), name) {
			continue
		}
		if !slices.Contains(has, f.from) {
			has = append(has, f.from)
		}
		at[f.from] = append(at[f.from], f.levels...)
	}
	if slices.Contains(has, fromRobot) {
		return fromRobot + " and sensors"
	}
	var text string
	for i, from := range has {
		switch levels := " at " + strings.ReplaceAll(at[from].String(), ", ", " and "); {
		case i+1 < len(has) && slices.Equal(at[from], at[has[i+1]]):
			text += from + ", "
		case at[from] == nil:
			text += from + "; "
		default:
			text += from + levels + "; "
		}
	}
	return strings.TrimSuffix(text, "; ")
}

// mostListed bounds how many names an error lists.
const mostListed = 12

// few lists names, the first dozen of many.
func few(names []string) string {
	if len(names) > mostListed {
		return strings.Join(names[:mostListed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// meantOrFew ends an error about a name that there is not: with the one that was probably meant, or with some that
// there are.
func meantOrFew(name string, known []string) string {
	if near := rules.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return "; there is none"
	}
	return "; there are " + few(known)
}

// mostHints bounds the unknown types of a profile for which those are looked for that were meant.
const mostHints = 100

// dialectLibraries are the types that ship, by their dialects.
var dialectLibraries = sync.OnceValue(func() map[string]*msg.Library {
	all := map[string]*msg.Library{}
	for _, dialect := range msg.Dialects() {
		all[dialect] = &msg.Library{}
		if err := all[dialect].AddDialect(dialect); err != nil {
			panic(err) // it ships
		}
	}
	return all
})

// meant adds to the error about a type that a profile's library lacks what it is instead, where it is, or which one was
// probably meant. The file's name ends with .msg of a message and .srv of a service.
func (c *Compiled) meant(err error, name, ext string) error {
	if _, there := c.Library.Source(name + ext); there || err == nil || len(c.failed) >= mostHints {
		return err
	}
	other, what := ".srv", "a service"
	known := (*msg.Library).Messages
	if ext == ".srv" {
		other, what = ".msg", "a message"
		known = (*msg.Library).Services
	}
	if _, there := c.Library.Source(name + other); there {
		return fmt.Errorf("is %s", what)
	}
	var dialects []string
	for _, dialect := range stdFirst() {
		if _, there := dialectLibraries()[dialect].Source(name + ext); there && !slices.Contains(c.Types, dialect) {
			dialects = append(dialects, dialect)
		}
	}
	switch near := nearType(name, known(c.Library)); {
	case dialects != nil:
		return fmt.Errorf("%w; %s", err, c.addType(dialects[0])+orOf(dialects[1:]))
	case near != "":
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	for _, dialect := range stdFirst() {
		if near := nearType(name, known(dialectLibraries()[dialect])); near != "" && !slices.Contains(c.Types,
			dialect) {
			return fmt.Errorf("%w; did you mean %s? If so, %s", err, near, c.addType(dialect))
		}
	}
	return fmt.Errorf("%w; types must name its dialect, one of %s, or a folder of .msg and .srv files", err,
		strings.Join(msg.Dialects(), ", "))
}

// stdFirst are the dialects, the one that others repeat first.
func stdFirst() []string {
	return append([]string{"std"}, slices.DeleteFunc(msg.Dialects(), func(d string) bool { return d == "std" })...)
}

// addType says how a profile gets a dialect's types.
func (c *Compiled) addType(dialect string) string {
	if len(c.Types) == 0 {
		return fmt.Sprintf("types is empty: add types = [%q]", dialect)
	}
	return fmt.Sprintf("add %q to types", dialect)
}

// nearType is the type that was probably meant: of nearly the same name, or of the same name in another package.
func nearType(name string, known []string) string {
	if near := rules.Nearest(name, known); near != "" {
		return near
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, k := range known {
		if strings.EqualFold(k[strings.LastIndexByte(k, '/')+1:], base) {
			return k
		}
	}
	return ""
}
