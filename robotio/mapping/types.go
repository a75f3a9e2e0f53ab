package mapping

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// dialectLibraries returns the message types of each dialect that ships with omnipitch, by the dialect's name.
var dialectLibraries = sync.OnceValue(func() map[string]*msg.Library {
	all := map[string]*msg.Library{}
	for _, dialect := range msg.Dialects() {
		all[dialect] = &msg.Library{}
		if err := all[dialect].AddDialect(dialect); err != nil {
			panic(err) // the definitions are embedded
		}
	}
	return all
})

// typeHint adds a hint to an error about a type that the profile's library lacks. The hint says that the name is a
// service or a message, or which dialects have the type, or it suggests a similar name. The argument ext is .msg for a
// message and .srv for a service.
func (c *Compiled) typeHint(err error, name, ext string) error {
	const mostHints = 100 // guess: limits the time for a profile full of errors
	if _, known := c.Library.Source(name + ext); known || err == nil || len(c.failed) >= mostHints {
		return err
	}
	otherExt, other, names := ".srv", "a service", (*msg.Library).Messages
	if ext == ".srv" {
		otherExt, other, names = ".msg", "a message", (*msg.Library).Services
	}
	if _, known := c.Library.Source(name + otherExt); known {
		return fmt.Errorf("is %s", other)
	}
	dialects := slices.DeleteFunc(msg.Dialects(), func(d string) bool {
		_, known := dialectLibraries()[d].Source(name + ext)
		return !known || slices.Contains(c.Types, d)
	})
	if i := slices.Index(dialects, "std"); i > 0 { // other dialects repeat the types of std
		dialects[0], dialects[i] = dialects[i], dialects[0]
	}
	if len(dialects) > 0 {
		add := fmt.Sprintf("add %q to types", dialects[0])
		if len(c.Types) == 0 {
			add = fmt.Sprintf("types is empty: add types = [%q]", dialects[0])
		}
		if len(dialects) > 1 {
			add += " (or " + strings.Join(dialects[1:], ", ") + ")"
		}
		return fmt.Errorf("%w; %s", err, add)
	}
	if near := rules.Nearest(name, names(c.Library)); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return fmt.Errorf("%w; types must name its dialect, one of %s, or a folder of .msg and .srv files", err,
		strings.Join(msg.Dialects(), ", "))
}
