package msg

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// ErrUnknown is wrapped by the errors about a type that a library does not have.
var ErrUnknown = errors.New("unknown type")

// maxNesting is the maximum depth of nested definitions. It is a guess with a wide margin, far above real messages.
const maxNesting = 64

// Library has definitions by full type name, such as sensor_msgs/Image. It resolves nested types when a definition is
// looked up, so definitions may be added in any order. The zero value is empty and ready.
type Library struct {
	grammar             grammar
	msgs, srvs, actions map[string]string // text of the definition, by full name of the type
	typeNames           map[string]string // TypeName by name, of messages that are parts of services and actions

	visited, bytes int // number of files that AddFS has visited, and of bytes that it has read
}

// AddMessage adds the definition of a message to the library, or replaces it. name has the form package/Type, and text
// is the text of a .msg file. AddMessage returns an error if the text is invalid. It does not look up nested types.
func (l *Library) AddMessage(name, text string) error {
	if _, err := l.grammar.parse(name+".msg", text, path.Dir(name)); err != nil {
		return err
	}
	if !validTypeName(name) {
		return fmt.Errorf("message %q: a name must be package/Type", name)
	}
	if l.msgs == nil {
		l.msgs = map[string]string{}
	}
	l.msgs[name] = text
	return nil
}

// AddService adds the definition of a service to the library, or replaces it. name has the form package/Type, and text
// is the text of a .srv file.
func (l *Library) AddService(name, text string) error {
	if _, err := l.splitService(name, text); err != nil {
		return err
	}
	if !validTypeName(name) {
		return fmt.Errorf("service %q: a name must be package/Type", name)
	}
	if l.srvs == nil {
		l.srvs = map[string]string{}
	}
	l.srvs[name] = text
	return nil
}

// Limits of AddFS, which are needed because the folder may be a whole disk. Workspaces are far below these limits.
const (
	maxVisited = 200_000 // files and folders
	maxRead    = 8 << 20 // bytes of definitions
)

// AddFS adds every *.msg, *.srv and *.action file of fsys. The folder of a file is its package. A folder called msg,
// srv or action is skipped, so that both package/Type.msg and package/msg/Type.msg work. The limits apply to all calls
// together.
func (l *Library) AddFS(fsys fs.FS) error {
	return l.walk(fsys, func(p, text string) error {
		dir, ext := path.Dir(p), path.Ext(p)
		if isExt("." + path.Base(dir)) {
			dir = path.Dir(dir)
		}
		name := path.Base(dir) + "/" + strings.TrimSuffix(path.Base(p), ext)
		switch ext {
		case ".srv":
			return l.AddService(name, text)
		case ".action":
			return l.AddAction(name, text)
		}
		return l.AddMessage(name, text)
	})
}

// isExt reports whether files with the given extension are definitions.
func isExt(ext string) bool { return ext == ".msg" || ext == ".srv" || ext == ".action" }

// Files returns the files that AddFS would read, by path.
func Files(fsys fs.FS) (map[string][]byte, error) {
	read := map[string][]byte{}
	err := new(Library).walk(fsys, func(p, text string) error {
		read[p] = []byte(text)
		return nil
	})
	return read, err
}

// walk calls the function do for each definition in a file system.
func (l *Library) walk(fsys fs.FS, do func(path, text string) error) error {
	return fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if l.visited++; l.visited > maxVisited {
			return fmt.Errorf("%s: is one file too many: must have at most %d files", p, maxVisited)
		}
		ext := path.Ext(p)
		if err != nil || d.IsDir() || !isExt(ext) {
			return err
		}
		text, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		if l.bytes += len(text); l.bytes > maxRead {
			return fmt.Errorf("%s: is one definition too many: must have at most %d MiB together", p, maxRead>>20)
		}
		return do(p, string(text))
	})
}

// Merge adds or replaces all definitions of another library.
func (l *Library) Merge(other *Library) {
	if l.msgs == nil {
		l.msgs = map[string]string{}
	}
	if l.srvs == nil {
		l.srvs = map[string]string{}
	}
	if l.actions == nil {
		l.actions = map[string]string{}
	}
	maps.Copy(l.msgs, other.msgs)
	maps.Copy(l.srvs, other.srvs)
	maps.Copy(l.actions, other.actions)
}

// Source returns the text of a definition by its file name, such as sensor_msgs/Image.msg.
func (l *Library) Source(file string) (text string, ok bool) {
	name, service := strings.CutSuffix(file, ".srv")
	if service {
		text, ok = l.srvs[name]
	} else {
		text, ok = l.msgs[strings.TrimSuffix(file, ".msg")]
	}
	return text, ok
}

// Messages returns the names of all messages, sorted.
func (l *Library) Messages() []string { return slices.Sorted(maps.Keys(l.msgs)) }

// Services returns the names of all services, sorted.
func (l *Library) Services() []string { return slices.Sorted(maps.Keys(l.srvs)) }

// Message returns the definition of the message name (package/Type). It returns ErrUnknown if the library lacks the
// type or a nested type. It also returns an error if a type contains itself.
func (l *Library) Message(name string) (*Definition, error) {
	text, ok := l.msgs[name]
	if !ok {
		return nil, fmt.Errorf("message %s: %w", name, ErrUnknown)
	}
	known := map[string]*Definition{}
	m, err := l.resolve(name, name+".msg", text, nil, known)
	if err == nil {
		m.complete(known)
	}
	return m, err
}

// Service returns the definition of a service type, given by its name (package/Type). It fails in the same cases as
// Message.
func (l *Library) Service(name string) (*ServiceDefinition, error) {
	text, ok := l.srvs[name]
	if !ok {
		return nil, fmt.Errorf("service %s: %w", name, ErrUnknown)
	}
	parts, err := l.splitService(name, text)
	if err != nil {
		return nil, err
	}
	return l.service(name, ".srv", parts[0], parts[1], map[string]*Definition{})
}

// service returns the definition of a service with the given texts of request and response.
func (l *Library) service(name, ext, request, response string, known map[string]*Definition) (*ServiceDefinition,
	error) {
	sep := ""
	if l.grammar == ros2 {
		sep = "_"
	}
	req, err := l.resolve(name+sep+"Request", name+ext, request, nil, known)
	if err != nil {
		return nil, err
	}
	resp, err := l.resolve(name+sep+"Response", name+ext, response, nil, known)
	if err != nil {
		return nil, err
	}
	req.complete(known)
	resp.complete(known)
	s := &ServiceDefinition{Name: name, Request: req, Response: resp}
	if l.grammar == ros2 {
		return s, l.describe(s, ext, known)
	}
	s.MD5 = sum(req.md5Text(), resp.md5Text())
	return s, nil
}

// resolve parses text and resolves its nested types. above holds the names of the enclosing types, and known holds the
// types that have been resolved.
func (l *Library) resolve(name, where, text string, above []string, known map[string]*Definition) (*Definition, error) {
	if m := known[name]; m != nil {
		return m, nil
	}
	above = append(above, name)
	if slices.Contains(above[:len(above)-1], name) || len(above) > maxNesting {
		return nil, fmt.Errorf("%s: contains itself or nests deeper than %d: %s", where, maxNesting,
			strings.Join(above, " → "))
	}
	p, err := l.grammar.parse(where, text, path.Dir(name))
	if err != nil {
		return nil, err
	}
	m := &Definition{Name: name, Constants: p.constants, Fields: p.fields, source: text,
		nested: map[string]*Definition{}}
	if l.grammar == ros2 {
		m.TypeName = l.typeNames[name]
		if m.TypeName == "" {
			m.TypeName = path.Dir(name) + "/" + path.Ext(where)[1:] + "/" + path.Base(name)
		}
		if len(m.Fields) == 0 {
			m.Fields = []Field{placeholder}
		}
	}
	// the elements of m.deps as a set, because a hostile definition may have many dependencies
	have := map[string]bool{}
	for _, f := range p.fields {
		if f.Builtin() {
			continue
		}
		sub, ok := l.msgs[f.Base]
		if !ok && known[f.Base] == nil {
			return nil, fmt.Errorf("%s: field %s %s: %w", where, f.Type(), f.Name, ErrUnknown)
		}
		n, err := l.resolve(f.Base, f.Base+".msg", sub, above, known)
		if err != nil {
			return nil, err
		}
		m.nested[f.Base] = n
		if have[f.Base] {
			continue // the dependencies of a listed type are listed, too
		}
		have[f.Base] = true
		m.deps = append(m.deps, f.Base)
		for _, d := range n.deps {
			if !have[d] {
				have[d] = true
				m.deps = append(m.deps, d)
			}
		}
	}
	if l.grammar == ros1 {
		m.MD5 = sum(m.md5Text())
	}
	m.measure()
	known[name] = m
	return m, nil
}

// complete sets the full text and the hash of a message that was looked up. Nested messages get neither. Otherwise a
// hostile definition of many small messages would take quadratic memory and time. known must have all dependencies.
func (m *Definition) complete(known map[string]*Definition) {
	if m.ROS2() {
		m.Hash = m.hash()
	}
	m.Text = fullText(m, known)
}

// splitService returns the parts of .srv text: request and response.
func (l *Library) splitService(name, text string) ([]string, error) {
	return l.split(name, text, ".srv", "a service has a --- line between request and response", 2)
}

// split returns the parts of a text with n parts, which --- lines separate. It returns an error if the text has another
// number of parts, or if a part is invalid. rule says where the --- lines must be.
func (l *Library) split(name, text, ext, rule string, n int) ([]string, error) {
	part := make([]strings.Builder, n)
	i := 0
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "---") {
			part[i].WriteString(line + "\n")
		} else if i++; i == n {
			return nil, fmt.Errorf("%s%s: has too many --- lines: %s", name, ext, rule)
		}
	}
	if i < n-1 {
		return nil, fmt.Errorf("%s%s: %s", name, ext, rule)
	}
	var parts []string
	for i := range part {
		if _, err := l.grammar.parse(name+ext, part[i].String(), path.Dir(name)); err != nil {
			return nil, err
		}
		parts = append(parts, part[i].String())
	}
	return parts, nil
}
