package mapping

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

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

// meant adds to the error about a type that a profile's library lacks what it is instead, where it is, or which one was probably meant. The file's
// name ends with .msg of a message and .srv of a service.
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
		if near := nearType(name, known(dialectLibraries()[dialect])); near != "" && !slices.Contains(c.Types, dialect) {
			return fmt.Errorf("%w; did you mean %s? If so, %s", err, near, c.addType(dialect))
		}
	}
	return fmt.Errorf("%w; types must name its dialect, one of %s, or a folder of .msg and .srv files", err, strings.Join(msg.Dialects(), ", "))
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
