package ros1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msgdef"
)

// dialectTypes are the types of a dialect that no dialect before it has with the same definition.
type dialectTypes struct {
	dialect string
	lib     *msgdef.Library
	msgs    []*msgdef.Message
	srvs    []*msgdef.Service
}

// allTypes lists every message and service of every dialect, each definition once.
func allTypes(t testing.TB) (list []dialectTypes) {
	t.Helper()
	seen := map[string]bool{}
	news := func(name, md5 string) bool {
		key := name + " " + md5
		defer func() { seen[key] = true }()
		return !seen[key]
	}
	for _, d := range []string{"std", "nubot", "hawking", "simatch", "coach4sim", "single_nubot_gazebo", "humanoid"} {
		types := dialectTypes{dialect: d, lib: must(msgdef.Load(d))(t)}
		for _, name := range types.lib.Messages() {
			if m := must(types.lib.Message(name))(t); news(name, m.MD5) {
				types.msgs = append(types.msgs, m)
			}
		}
		for _, name := range types.lib.Services() {
			if s := must(types.lib.Service(name))(t); news(name, s.MD5) {
				types.srvs = append(types.srvs, s)
			}
		}
		list = append(list, types)
	}
	if len(list) != len(msgdef.Dialects()) {
		t.Errorf("%d dialects, want %v", len(list), msgdef.Dialects())
	}
	return list
}

// names lists the full names of messages and services.
func (d dialectTypes) names() (msgs, srvs []string) {
	for _, m := range d.msgs {
		msgs = append(msgs, m.Name)
	}
	for _, s := range d.srvs {
		srvs = append(srvs, s.Name)
	}
	return msgs, srvs
}

// generate writes the dialect's definitions, our own text, and has ROS's generators make headers or modules of them.
func (d dialectTypes) generate(t testing.TB, language string) (folder string) {
	t.Helper()
	source, out := t.TempDir(), t.TempDir()
	write := func(name, kind, text string) {
		pkg, base, _ := strings.Cut(name, "/")
		file := filepath.Join(source, pkg, kind, base+"."+kind)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range d.lib.Messages() {
		text, _, _ := strings.Cut(must(d.lib.Message(name))(t).Text, "\n"+strings.Repeat("=", 80)+"\n")
		write(name, "msg", text+"\n")
	}
	for _, s := range d.srvs {
		request, _, _ := strings.Cut(s.Request.Text, "\n"+strings.Repeat("=", 80)+"\n")
		response, _, _ := strings.Cut(s.Response.Text, "\n"+strings.Repeat("=", 80)+"\n")
		write(s.Name, "srv", request+"\n---\n"+response+"\n")
	}
	if b, err := exec.Command(debianPython, "testdata/relay/generate.py", language, source, out).CombinedOutput(); err != nil {
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
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, func() error { return compileObject(source, object, "-I", headers, "-I", "testdata/relay") })
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
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i, o := range objects {
		programs = append(programs, filepath.Join(folder, fmt.Sprint("relay", i)))
		if err := compile(main, programs[i], o); err != nil {
			t.Fatal(err)
		}
	}
	return programs
}

func compileObject(source, object string, flags ...string) error {
	out, err := exec.Command("g++", append(append([]string{"-w", "-O0", "-pipe", "-c", "-o", object}, flags...), source)...).CombinedOutput()
	if err != nil {
		return &compileError{source, string(out), err}
	}
	return nil
}

// TestEveryTypeThroughROS trusts the code that gencpp and genpy make of our definitions: random messages of every type of
// every dialect, and calls of every service, go from our node through a roscpp and through a rospy node, which read and
// write every field, and come back as they were.
func TestEveryTypeThroughROS(t *testing.T) {
	needROS(t)
	if exec.Command(debianPython, "-c", "import genmsg, genpy.generator, gencpp").Run() != nil || exec.Command("pkg-config", "--exists", "roscpp").Run() != nil {
		t.Skip("no generators: apt-get install ros-message-generation libroscpp-dev g++")
	}
	all := allTypes(t)
	programs := compileRelays(t, all)
	for i, d := range all {
		t.Run(d.dialect, func(t *testing.T) {
			t.Parallel()
			m := newMaster(t)
			n := must(NewNode(NodeConfig{Name: "/go", MasterURI: m.URI(), Types: d.lib, Log: testLog(t)}))(t)
			defer n.Close()
			msgs, srvs := d.names()
			cpp := start(t, m.URI(), programs[i])
			py := start(t, m.URI(), append([]string{debianPython, "testdata/relay/relay.py", d.generate(t, "py")}, slices.Concat(msgs, srvs)...)...)
			cpp.says(fmt.Sprintf("ready %d %d", len(msgs), len(srvs)))
			py.says("ready")
			for _, def := range d.msgs {
				relayMessages(t, n, def)
			}
			for _, s := range d.srvs {
				relayCalls(t, n, s)
			}
			if cpp.count("FAILED") > 0 {
				t.Error(cpp.output())
			}
			t.Logf("%d messages and %d services through roscpp and rospy", len(msgs), len(srvs))
		})
	}
}

// perType is how many random messages and calls each type gets.
const perType = 5

// seeded returns the random numbers of one type, the same in every run.
func seeded(name string) *rand.Rand {
	var seed [32]byte
	copy(seed[:], name)
	return rand.New(rand.NewChaCha8(seed))
}

// relayMessages sends random messages of a type and wants them back from both relays. A leading header's seq is each
// publisher's own.
func relayMessages(t *testing.T, n *Node, def *msgdef.Message) {
	t.Helper()
	own := 0
	if def.HasHeader() {
		own = 4
	}
	pub := must(n.advertise("/in/"+def.Name, def, perType, false))(t)
	back := map[string]chan []byte{}
	var subs []*subscription
	for _, peer := range []string{"/cpp/", "/py/"} {
		c := make(chan []byte, perType)
		back[peer] = c
		subs = append(subs, must(n.subscribe(peer+def.Name, def, func(b []byte) error { c <- bytes.Clone(b); return nil }))(t))
	}
	until(t, "the relays of "+def.Name, func() bool {
		return pub.links.Load() == 2 && (&Subscriber{subs[0]}).NumPublishers() == 1 && (&Subscriber{subs[1]}).NumPublishers() == 1
	})
	r := seeded(def.Name + def.MD5)
	for range perType {
		want := appendRandom(nil, def, r)
		f := pub.pool.get()
		f.head = append(f.head, want...)
		pub.send(f)
		for peer, c := range back {
			if got := recv(t, c); !bytes.Equal(got[min(own, len(got)):], want[own:]) {
				t.Errorf("%s through %s:\ngot  % x\nwant % x", def.Name, peer, got, want)
			}
		}
	}
	for _, s := range subs {
		if err := n.unsubscribe(s); err != nil {
			t.Error(err)
		}
	}
	if err := pub.unadvertise(); err != nil {
		t.Error(err)
	}
}

// relayCalls calls a service of ours by way of both relays, which serve the same, and wants requests and responses to
// arrive as they were.
func relayCalls(t *testing.T, n *Node, s *msgdef.Service) {
	t.Helper()
	r := seeded(s.Name + s.MD5)
	var asked, answer []byte // the calls come one after the other
	srv := must(n.serveService("/go/"+s.Name, s, func(_ context.Context, req, out []byte) ([]byte, error) {
		asked = bytes.Clone(req)
		return append(out, answer...), nil
	}))(t)
	for range perType {
		for _, peer := range []string{"/cpp/", "/py/"} {
			request := appendRandom(nil, s.Request, r)
			answer = appendRandom(nil, s.Response, r)
			got, err := rawCall(t, n, peer+s.Name, s, request)
			if err != nil || !bytes.Equal(got, answer) || !bytes.Equal(asked, request) {
				t.Errorf("%s through %s: %v\nasked    % x\nwant     % x\nanswered % x\nwant     % x", s.Name, peer, err, asked, request, got, answer)
			}
		}
	}
	if err := srv.close(); err != nil {
		t.Error(err)
	}
}

// rawCall calls a service with bytes.
func rawCall(t *testing.T, n *Node, name string, s *msgdef.Service, request []byte) ([]byte, error) {
	t.Helper()
	u := must(url.Parse(must(n.callMaster(t.Context(), "lookupService", name))(t).(string)))(t)
	conn := must(n.dial(t.Context(), u.Host))(t)
	defer n.untrack(conn)
	r := bufio.NewReader(conn)
	if _, err := handshake(conn, r, header{"callerid": n.name, "service": name, "md5sum": s.MD5, "type": s.Name}); err != nil {
		return nil, err
	}
	if _, err := conn.Write(append(le.AppendUint32(nil, uint32(len(request))), request...)); err != nil {
		return nil, err
	}
	status, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	b, err := readBlock(r, nil, n.maxMessage)
	if err == nil && status != 1 {
		err = fmt.Errorf("peer fails: %s", b)
	}
	return b, err
}
