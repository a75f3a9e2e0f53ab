package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// outer is a third party's NATS server with an operator, an account, and users with credentials.
type outer struct {
	*server.Server
	account nkeys.KeyPair
	folder  string
}

// signer makes a key and returns it with its public form.
func signer(t *testing.T, make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	t.Helper()
	pair := must.Get(make())(t)
	public := must.Get(pair.PublicKey())(t)
	return pair, public
}

func serveOuter(t *testing.T) *outer {
	t.Helper()
	op, operator := signer(t, nkeys.CreateOperator)
	_, system := signer(t, nkeys.CreateAccount)
	pair, account := signer(t, nkeys.CreateAccount)
	o := jwt.NewOperatorClaims(operator)
	o.SystemAccount = system
	resolver := &server.MemAccResolver{}
	for _, public := range []string{system, account} {
		claims := jwt.NewAccountClaims(public)
		if public == account {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit,
				Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
		}
		token, err := claims.Encode(op)
		if err == nil {
			err = resolver.Store(public, token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	s := must.Get(server.NewServer(&server.Options{
		ServerName: "outer", Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: folder,
		NoLog: true, NoSigs: true,
		TrustedOperators: []*jwt.OperatorClaims{o}, SystemAccount: system, AccountResolver: resolver,
	}))(t)
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server has not begun")
	}
	return &outer{s, pair, folder}
}

// rights are the subjects that a user may publish and subscribe to.
type rights struct{ publish, subscribe []string }

// user writes the credentials of a user with these rights and no others. nil means all rights.
func (o *outer) user(t *testing.T, name string, r *rights) string {
	t.Helper()
	pair, public := signer(t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(public)
	if claims.Name = name; r != nil {
		claims.Pub.Allow.Add(r.publish...)
		claims.Sub.Allow.Add(r.subscribe...)
	}
	token := must.Get(claims.Encode(o.account))(t)
	seed := must.Get(pair.Seed())(t)
	text := must.Get(jwt.FormatUserConfig(token, seed))(t)
	path := filepath.Join(o.folder, name+".creds")
	must.Do(t, os.WriteFile(path, text, 0o600))
	return path
}

// rightsOfPage reads the table of rights in docs/sweep.md.
func rightsOfPage(t *testing.T) (sweeper, worker, drawn rights) {
	t.Helper()
	page := must.Get(os.ReadFile("../../docs/sweep.md"))(t)
	_, table, found := strings.Cut(string(page), "| subject | sweep | worker | run | for |\n| --- | --- | --- | --- "+
		"| --- |\n")
	if !found {
		t.Fatal("docs/sweep.md has no table of rights")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			for i, r := range []*rights{&sweeper, &worker, &drawn} {
				switch cell := strings.TrimSpace(cells[2+i]); cell {
				case "publish":
					r.publish = append(r.publish, quoted[1])
				case "subscribe":
					r.subscribe = append(r.subscribe, quoted[1])
				case "":
				default:
					t.Fatalf("docs/sweep.md: right %q", cell)
				}
			}
		}
	}
	return sweeper, worker, drawn
}

// violations is the server's log of refused operations of users.
type violations struct{ lockedBuffer }

func (v *violations) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); strings.Contains(text, "Violation") {
		fmt.Fprintln(v, text)
	}
}
func (v *violations) Warnf(string, ...any)   {}
func (v *violations) Noticef(string, ...any) {}
func (v *violations) Fatalf(string, ...any)  {}
func (v *violations) Debugf(string, ...any)  {}
func (v *violations) Tracef(string, ...any)  {}

// TestSweepByCredentials checks that on a third party's server a sweep, workers and a run need exactly the rights that
// docs/sweep.md lists. --remove must leave other users' data.
func TestSweepByCredentials(t *testing.T) {
	sweeper, worker, drawn := rightsOfPage(t)
	outer := serveOuter(t)
	refused := &violations{}
	outer.SetLogger(refused, false, false)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"swept.toml": sweptWorld, "sweep.toml": strings.Replace(sweptFile,
		"1..10", "1..2", 1), "other.toml": strings.Replace(sweptFile, "1..10", "3", 1)} {
		must.Write(t, name, text)
	}
	nc := must.Get(nats.Connect(outer.ClientURL(), nats.UserCredentials(outer.user(t, "all", nil))))(t)
	defer nc.Close()
	// A right that none of a role's messages needs is one too many.
	needed := map[string]int{} // number of messages by right
	var mu sync.Mutex
	for _, subject := range slices.Concat(sweeper.publish, worker.publish, drawn.publish) {
		if _, there := needed[subject]; there {
			continue
		}
		needed[subject] = 0
		must.Get(nc.Subscribe(subject,
			func(*nats.Msg) { mu.Lock(); defer mu.Unlock(); needed[subject]++ }))(t)
	}
	js := must.Get(nc.JetStream())(t)
	must.Do(t, nc.Flush())
	both := rights{append(slices.Clone(sweeper.publish), worker.publish...), sweeper.subscribe}
	bySweep := []string{"--nats", outer.ClientURL(), "--creds", outer.user(t, "sweep", &sweeper)}
	byWorker := []string{"--nats", outer.ClientURL(), "--creds", outer.user(t, "worker", &worker)}
	byBoth := []string{"--nats", outer.ClientURL(), "--creds", outer.user(t, "both", &both)}
	call := func(args ...string) (int, string) {
		var out lockedBuffer
		code := run(t.Context(), args, console.Streams{Out: &out, Err: &out})
		return code, out.String()
	}
	with := func(by []string, args ...string) []string { return append(args, by...) }
	streams := func() (all []string) {
		for name := range js.StreamNames() {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	if code, text := call(with(byBoth, "sweep", "other.toml", "--out", "other", "--record", "--jobs",
		"1")...); code != console.ExitFailed || !strings.Contains(text, "2 runs: ") {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	others := streams()
	if len(others) != 4 {
		t.Errorf("streams of one sweep: %v", others)
	}
	type end struct {
		code int
		text string
	}
	ended := make(chan end, 1)
	go func() {
		code, text := call(with(bySweep, "sweep", "sweep.toml", "--out", "out", "--record", "--jobs", "0")...)
		ended <- end{code, text}
	}()
	for done := false; !done; { // a worker may start before the sweep exists
		code, text := call(with(byWorker, "worker")...)
		if code != console.ExitDone {
			t.Fatalf("worker: exit code %d\n%s", code, text)
		}
		done = strings.HasPrefix(text, "4 runs done")
		select {
		case e := <-ended:
			if !done {
				t.Fatalf("exit code %d\n%s\nworker: %s", e.code, e.text, text)
			}
			ended <- e
		default:
		}
	}
	if e := <-ended; e.code != console.ExitFailed || !strings.Contains(e.text, "4 runs: ") {
		t.Errorf("exit code %d\n%s", e.code, e.text)
	}
	if got := streams(); len(got) != 7 {
		t.Errorf("streams of two sweeps: %v", got)
	}
	again := with(bySweep, "sweep", "sweep.toml", "--out", "out", "--record", "--jobs", "0")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{append(slices.Clone(again), "--remove"), console.ExitFailed, "deleted all data of this sweep from " +
			outer.ClientURL() + "; the results are in out\n"},
		{again, console.ExitBadInput, "out holds the results of this sweep, which --remove has deleted from its " +
			"server: name another folder to run the sweep again"},
		{append(slices.Clone(again), "--remove"), console.ExitDone, "deleted all data of this sweep from "},
		{with(byWorker, "worker"), console.ExitDone, "0 runs done"},
	} {
		if code, text := call(c.args...); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%v: exit code %d, want %d\n%swant %s", c.args, code, c.code, text, c.want)
		}
	}
	must.Equal(t, streams(), others, "after --remove")
	entries := must.Get(js.KeyValue("omnipitch_sweeps"))(t)
	if status, err := entries.Status(); err != nil || status.Values() != 1 {
		t.Errorf("%v, %d entries, want the other sweep's", err, status.Values())
	}
	world := "look = \"plain\"\n" + strings.Replace(programWorld, `"front", level = "truth"`,
		`"front", level = "raw", image = { width_px = 32, height_px = 24 }`, 1)
	must.Write(t, "drawn.toml", world)
	byRun := []string{"--workers", outer.ClientURL(), "--creds", outer.user(t, "run", &drawn)}
	drawnBy(t, "drawn.toml", byRun, byWorker, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return needed["omnipitch.render.run.*.frame.*"] >= 5 && needed["omnipitch.render.run.*.here.*"] > 0
	})
	if text := refused.String(); text != "" {
		t.Errorf("refused:\n%s", text)
	}
	mu.Lock()
	defer mu.Unlock()
	for subject, messages := range needed {
		// Flow control occurs only with reads of megabytes. A repeated run reports only a different result. Only late
		// workers are told what to forget.
		if messages == 0 && !slices.Contains([]string{"$JS.FC.>", "$KV.*.x.>", "omnipitch.render.run.*.tell.*"},
			subject) {
			t.Errorf("docs/sweep.md: nothing needs %s", subject)
		}
	}
}

// drawnBy lets a worker render a run's images until one has arrived.
func drawnBy(t *testing.T, world string, byRun, byWorker []string, come func() bool) {
	t.Helper()
	runs, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	works, leave := context.WithCancel(t.Context())
	defer leave()
	var told, did lockedBuffer
	ran, worked := make(chan int, 1), make(chan int, 1)
	go func() {
		ran <- run(runs, append([]string{"run", world, "--ros1", "off", "--web", "off", "--renderer", "tile",
			"--no-draw-here", "--out", "frames"}, byRun...), console.Streams{Out: &told, Err: &told})
	}()
	go func() {
		worked <- run(works, append([]string{"worker", "--stay", "--name", "w"}, byWorker...),
			console.Streams{Out: &did, Err: &did})
	}()
	for !come() && runs.Err() == nil && len(ran) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	end()
	if code := <-ran; code != console.ExitDone || !regexp.MustCompile(`images: [1-9]\d* by w, `).MatchString(
		told.String()) {
		t.Errorf("run: exit code %d\n%s", code, told.String())
	}
	leave()
	if code := <-worked; code != console.ExitDone || !regexp.MustCompile(`\b[1-9]\d* images drawn`).MatchString(
		did.String()) {
		t.Errorf("worker: exit code %d\n%s", code, did.String())
	}
}
