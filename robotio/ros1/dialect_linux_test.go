package ros1

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// dialectTypes are the types of a dialect that no earlier dialect has with the same definition.
type dialectTypes struct {
	dialect string
	lib     *msg.Library
	msgs    []*msg.Definition
	srvs    []*msg.ServiceDefinition
}

// allTypes returns every message and service of every dialect, each definition once.
func allTypes(t testing.TB) (list []dialectTypes) {
	t.Helper()
	seen := map[string]bool{}
	news := func(name, md5 string) bool {
		key := name + " " + md5
		defer func() { seen[key] = true }()
		return !seen[key]
	}
	for _, d := range []string{"std", "nubot", "hawking", "simatch", "coach4sim", "single_nubot_gazebo", "humanoid",
		"humanoid_may2017"} {
		types := dialectTypes{dialect: d, lib: must.Get(msg.Load(d))(t)}
		for _, name := range types.lib.Messages() {
			if m := must.Get(types.lib.Message(name))(t); news(name, m.MD5) {
				types.msgs = append(types.msgs, m)
			}
		}
		for _, name := range types.lib.Services() {
			if s := must.Get(types.lib.Service(name))(t); news(name, s.MD5) {
				types.srvs = append(types.srvs, s)
			}
		}
		list = append(list, types)
	}
	must.Equal(t, len(list), len(msg.Dialects()), "number")
	return list
}

// names returns the full names of messages and services.
func (d dialectTypes) names() (msgs, srvs []string) {
	for _, m := range d.msgs {
		msgs = append(msgs, m.Name)
	}
	for _, s := range d.srvs {
		srvs = append(srvs, s.Name)
	}
	return msgs, srvs
}

// closure returns the messages that the types need, including themselves.
func (d dialectTypes) closure(t testing.TB) (names []string) {
	t.Helper()
	var add func(def *msg.Definition)
	fields := func(def *msg.Definition) {
		for _, f := range def.Fields {
			if nested := def.Nested(f.Base); nested != nil {
				add(nested)
			}
		}
	}
	add = func(def *msg.Definition) {
		if !slices.Contains(names, def.Name) {
			names = append(names, def.Name)
			fields(def)
		}
	}
	for _, m := range d.msgs {
		add(m)
	}
	for _, s := range d.srvs {
		fields(s.Request)
		fields(s.Response)
	}
	return names
}

// generate writes the dialect's definitions, and runs ROS's generators of headers or modules on them.
func (d dialectTypes) generate(t testing.TB, language string) (folder string) {
	t.Helper()
	source, out := t.TempDir(), t.TempDir()
	write := func(name, kind, text string) {
		pkg, base, _ := strings.Cut(name, "/")
		file := filepath.Join(source, pkg, kind, base+"."+kind)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)))
	}
	for _, name := range d.closure(t) {
		text, _, _ := strings.Cut(must.Get(d.lib.Message(name))(t).Text, "\n"+strings.Repeat("=", 80)+"\n")
		write(name, "msg", text+"\n")
	}
	for _, s := range d.srvs {
		request, _, _ := strings.Cut(s.Request.Text, "\n"+strings.Repeat("=", 80)+"\n")
		response, _, _ := strings.Cut(s.Response.Text, "\n"+strings.Repeat("=", 80)+"\n")
		write(s.Name, "srv", request+"\n---\n"+response+"\n")
	}
	if b, err := exec.Command(debianPython, "testdata/relay/generate.py", language, source,
		out).CombinedOutput(); err != nil {
		t.Fatalf("%s: generate %s: %v\n%s", d.dialect, language, err, b)
	}
	return out
}

// compileRelays compiles the roscpp relay of every dialect, two at a time, and returns the programs.
func compileRelays(t testing.TB, all []dialectTypes) (programs []string) {
	t.Helper()
	folder := t.TempDir()
	main := filepath.Join(folder, "relay.o")
	jobs := []func() error{func() error { return compileObject("testdata/relay/relay.cpp", main) }}
	var objects []string
	for i, d := range all {
		headers := d.generate(t, "cpp")
		msgs, srvs := d.names()
		text := "#include \"relay.h\"\n"
		for _, n := range slices.Concat(msgs, srvs) {
			text += fmt.Sprintf("#include <%s.h>\n", n)
		}
		list := func(function, of, template string, names []string) {
			text += fmt.Sprintf("std::vector<%s> %s() { return {", of, function)
			for _, n := range names {
				text += fmt.Sprintf("%s<%s>(), ", template, strings.Replace(n, "/", "::", 1))
			}
			text += "}; }\n"
		}
		list("messages", "Message", "message", msgs)
		list("services", "Service", "service", srvs)
		source, object := filepath.Join(headers, "types.cpp"), filepath.Join(folder, fmt.Sprint(i, ".o"))
		must.Do(t, os.WriteFile(source, []byte(text), 0o600))
		jobs = append(jobs, func() error {
			return compileObject(source, object, "-I", headers, "-I", "testdata/relay")
		})
		objects = append(objects, object)
	}
	var wait sync.WaitGroup
	errs, slots := make([]error, len(jobs)), make(chan struct{}, 2)
	for i, job := range jobs {
		wait.Go(func() {
			slots <- struct{}{}
			errs[i] = job()
			<-slots
		})
	}
	wait.Wait()
	must.Do(t, errors.Join(errs...))
	for i, o := range objects {
		programs = append(programs, filepath.Join(folder, fmt.Sprint("relay", i)))
		must.Do(t, compile(main, programs[i], o))
	}
	return programs
}

func compileObject(source, object string, flags ...string) error {
	out, err := exec.Command("g++", append(append([]string{"-w", "-O0", "-pipe", "-c", "-o", object}, flags...),
		source)...).CombinedOutput()
	if err != nil {
		return &compileError{source, string(out), err}
	}
	return nil
}

// inRoscpp is the number of dialects, of the first, whose types also go through roscpp. The first two have every kind
// of field. Each dialect takes ten seconds to compile.
var inRoscpp = flag.Int("ros1.roscpp", 1, "how many dialects' types go through roscpp too")

// TestEveryTypeThroughROS uses the code that gencpp and genpy generate from our definitions as the oracle. Random
// messages of every type of every dialect, and calls of every service, go from our node through a rospy node, and those
// of the first dialects through a roscpp node, which decode and encode every field, and come back unchanged.
func TestEveryTypeThroughROS(t *testing.T) {
	needROS(t)
	if exec.Command(debianPython, "-c", "import genmsg, genpy.generator, gencpp").Run() != nil ||
		exec.Command("pkg-config", "--exists", "roscpp").Run() != nil {
		t.Skip("no generators: apt-get install ros-message-generation libroscpp-dev g++")
	}
	t.Parallel()
	all := allTypes(t)
	programs := compileRelays(t, all[:*inRoscpp])
	for i, d := range all {
		t.Run(d.dialect, func(t *testing.T) {
			t.Parallel()
			m := newMaster(t)
			n := must.Get(NewNode(NodeConfig{Name: "/go", MasterURI: m.URI(), Types: d.lib, Log: testLog(t)}))(t)
			defer n.Close()
			msgs, srvs := d.names()
			peers := []string{"/py/"}
			py := start(t, m.URI(), append([]string{debianPython, "testdata/relay/relay.py", d.generate(t, "py")},
				slices.Concat(msgs, srvs)...)...)
			if i < *inRoscpp {
				peers = append(peers, "/cpp/")
				cpp := start(t, m.URI(), programs[i])
				defer func() {
					if cpp.count("FAILED") > 0 {
						t.Error(cpp.output())
					}
				}()
				cpp.says(fmt.Sprintf("ready %d %d", len(msgs), len(srvs)))
			}
			py.says("ready")
			var relays []*relayed // all at once, because discovery takes longest
			for _, def := range d.msgs {
				relays = append(relays, newRelayed(t, n, def, peers))
			}
			for _, r := range relays {
				r.run(t)
			}
			for _, s := range d.srvs {
				relayCalls(t, n, s, peers)
			}
			t.Logf("%d messages and %d services through %v", len(msgs), len(srvs), peers)
		})
	}
}

// perType is the number of random messages and calls of each type.
const perType = 5

// seeded returns the random numbers for a type, the same in every run.
func seeded(name string) *rand.Rand {
	var seed [32]byte
	copy(seed[:], name)
	return rand.New(rand.NewChaCha8(seed))
}

// relayed is a message type that goes through relays.
type relayed struct {
	def  *msg.Definition
	pub  *RawPublisher
	subs map[string]*Subscriber
	back map[string]chan []byte // by relay
}

func newRelayed(t *testing.T, n *Node, def *msg.Definition, peers []string) *relayed {
	t.Helper()
	m := &relayed{def: def, pub: must.Get(AdvertiseRaw(n, "/in/"+def.Name, def, PubOptions{Queue: perType}))(t),
		subs: map[string]*Subscriber{}, back: map[string]chan []byte{}}
	for _, peer := range peers {
		c := make(chan []byte, 1000)
		m.back[peer] = c
		m.subs[peer] = must.Get(SubscribeAs(n, peer+def.Name, def,
			func(b []byte) error { c <- bytes.Clone(b); return nil }))(t)
	}
	return m
}

// run sends random messages and waits for them. Each publisher sets its own seq in a leading header.
func (m *relayed) run(t *testing.T) {
	t.Helper()
	own := 0
	if m.def.HasHeader() {
		own = 4
	}
	must.Until(t, "the relays of "+m.def.Name, func() bool {
		for _, s := range m.subs {
			if s.NumPublishers() != 1 {
				return false
			}
		}
		return m.pub.NumSubscribers() == len(m.subs)
	})
	r := seeded(m.def.Name + m.def.MD5)
	same := func(got, want []byte) bool { return bytes.Equal(got[min(own, len(got)):], want[own:]) }
	// rospy loses messages that it publishes right after it greeted a subscriber.
	first, sent := appendRandom(nil, m.def, r), time.Time{}
	must.Until(t, m.def.Name+" to come back", func() bool {
		if time.Since(sent) > 50*time.Millisecond {
			m.pub.Publish(first)
			sent = time.Now()
		}
		for _, c := range m.back {
			if len(c) == 0 {
				return false
			}
		}
		return true
	})
	for i := range perType {
		want := first
		if i > 0 {
			want = appendRandom(nil, m.def, r)
			m.pub.Publish(want)
		}
		for peer, c := range m.back {
			got := recv(t, c)
			for i > 0 && same(got, first) && !same(want, first) {
				got = recv(t, c)
			}
			if !same(got, want) {
				t.Errorf("%s through %s:\ngot  % x\nwant % x", m.def.Name, peer, got, want)
			}
		}
	}
}

// relayCalls calls one of our services through the relays, and checks that requests and responses are unchanged.
func relayCalls(t *testing.T, n *Node, s *msg.ServiceDefinition, peers []string) {
	t.Helper()
	r := seeded(s.Name + s.MD5)
	var asked, answer []byte // calls come one after the other
	srv := must.Get(ServeRaw(n, "/go/"+s.Name, s, func(_ context.Context, req, out []byte) ([]byte, error) {
		asked = bytes.Clone(req)
		return append(out, answer...), nil
	}))(t)
	for range perType {
		for _, peer := range peers {
			request := appendRandom(nil, s.Request, r)
			answer = appendRandom(nil, s.Response, r)
			got, err := CallRaw(t.Context(), n, peer+s.Name, s, request)
			f := s.Response.Fields
			if len(f) > 0 && f[0].Type() == "std_msgs/Header" && len(got) >= 4 && len(answer) >= 4 {
				copy(got, answer[:4]) // rospy sets seq of a leading header
			}
			if err != nil || !bytes.Equal(got, answer) || !bytes.Equal(asked, request) {
				t.Errorf("%s through %s: %v\nasked    % x\nwant     % x\nanswered % x\nwant     % x", s.Name, peer, err,
					asked, request, got, answer)
			}
		}
	}
	must.Do(t, srv.Close())
}

// builtinSize is the size of ROS's types on the wire, in bytes. Strings, times and durations are made below.
var builtinSize = map[string]int{"bool": 1, "int8": 1, "uint8": 1, "byte": 1, "char": 1, "int16": 2, "uint16": 2,
	"int32":  4,
	"uint32": 4, "int64": 8, "uint64": 8, "float32": 4, "float64": 8}

// appendRandom appends a random message with every field, arrays of up to three elements, and text in several scripts.
// It leaves out values that languages do not preserve: bools other than 0 and 1, NaNs, and nanoseconds beyond a second.
func appendRandom(b []byte, def *msg.Definition, r *rand.Rand) []byte {
	for _, f := range def.Fields {
		n := 1
		switch {
		case f.Len == msg.Variable:
			n = r.IntN(4)
			b = le.AppendUint32(b, uint32(n))
		case f.Len >= 0:
			n = f.Len
		}
		for range n {
			if nested := def.Nested(f.Base); nested != nil {
				b = appendRandom(b, nested, r)
			} else {
				b = appendBuiltin(b, f.Base, r)
			}
		}
	}
	return b
}

func appendBuiltin(b []byte, typ string, r *rand.Rand) []byte {
	switch typ {
	case "bool":
		return append(b, byte(r.IntN(2)))
	case "string":
		text := []string{"", "a", "grüße <&>", "机器人", "line\nline", "emoji 🤖", "null\x00byte"}[r.IntN(7)]
		return append(le.AppendUint32(b, uint32(len(text))), text...)
	case "time":
		return le.AppendUint32(le.AppendUint32(b, r.Uint32()), uint32(r.IntN(1e9)))
	case "duration":
		return le.AppendUint32(le.AppendUint32(b, uint32(r.Int32()-1<<30)), uint32(r.IntN(1e9)))
	case "float32":
		return le.AppendUint32(b, math.Float32bits(float32(r.NormFloat64()*1e3)))
	case "float64":
		return le.AppendUint64(b, math.Float64bits(r.NormFloat64()*1e9))
	}
	for range builtinSize[typ] {
		b = append(b, byte(r.Uint32()))
	}
	return b
}
