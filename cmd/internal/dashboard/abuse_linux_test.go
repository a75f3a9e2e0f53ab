package dashboard

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/worlds"
)

var abuseFor = flag.Duration("dashboard.abuse", 0, "wall time for which the dashboard is abused; 0 leaves it out")

// tokenVariable gives the token to a client process, which abuses the dashboard with it and without.
const tokenVariable = "OMNIPITCH_DASHBOARD_TOKEN"

// outcomes counts what became of requests.
type outcomes struct {
	mu  sync.Mutex
	all map[string]int
}

func (o *outcomes) count(what string, status int, err error) {
	text := fmt.Sprintf("%s: %d", what, status)
	if status == 0 && err != nil {
		text = what + ": no answer"
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all[text]++
}

// beAbuser opens 200 sockets of which nobody reads, among them some of other origins, some under a name that is not
// this machine's, and some with a wrong token; and, until stdin ends, sends commands that are too long, messages that
// are too long, requests that never end, and asks for frames that nobody takes. It prints what became of all.
func beAbuser(url, token, camera string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	o := &outcomes{all: map[string]int{}}
	host := strings.TrimPrefix(url, "http://")
	header := func(i int) (what string, h http.Header, host string) {
		h = http.Header{"Authorization": {"Bearer " + token}}
		switch i % 10 {
		case 7:
			h.Set("Authorization", "Bearer "+strings.Repeat("A", 26))
			return "wrong token", h, ""
		case 8:
			h.Set("Origin", "http://elsewhere.example")
			return "another origin", h, ""
		case 9:
			h.Set("Origin", "http://rebound.example")
			return "another host", h, "rebound.example" // as after DNS rebinding to this machine
		}
		return "socket", h, ""
	}
	for i := range 200 {
		what, h, name := header(i)
		conn, answer, err := websocket.Dial(ctx, "ws://"+host+"/api/state", &websocket.DialOptions{HTTPHeader: h,
			Host: name})
		status := 0
		if answer != nil {
			status = answer.StatusCode
		}
		o.count(what, status, err)
		if err == nil { // nobody reads; every other one talks
			defer conn.CloseNow()
			if i%2 == 0 {
				_ = conn.Write(ctx, websocket.MessageText, bytes.Repeat([]byte("x"), 1<<20))
			}
		}
	}
	var wait sync.WaitGroup
	again := func(f func()) {
		wait.Go(func() {
			for ctx.Err() == nil {
				f()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	huge := `{"place": {"name": "` + strings.Repeat("a", 200_000) + `"}}`
	again(func() {
		r, err := http.NewRequestWithContext(ctx, "POST", url+"/api/do", strings.NewReader(huge))
		if err != nil {
			panic(err) // a programmer's mistake
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		status, err := 0, error(nil)
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(r); err == nil {
			status = resp.StatusCode
			resp.Body.Close()
		}
		if ctx.Err() == nil {
			o.count("huge command", status, err)
		}
	})
	for _, text := range []string{
		"POST /api/do HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
		"GET /api/cameras/" + camera + "/next HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + token +
			"\r\n\r\n",
		"GET /",
	} {
		again(func() { // connections that are left alone
			if conn, err := net.Dial("tcp", host); err == nil {
				_, _ = io.WriteString(conn, text)
				time.AfterFunc(3*time.Second, func() { conn.Close() })
				o.count("left alone", 0, nil)
			}
		})
	}
	wait.Wait()
	for _, text := range slices.Sorted(maps.Keys(o.all)) {
		fmt.Printf("%s × %d; ", text, o.all[text])
	}
	fmt.Println()
	return nil
}

// A run in real time keeps its pace, ten robots at objects, whatever clients do that mean it ill.
func TestAbuseDelaysNobody(t *testing.T) {
	if *abuseFor == 0 {
		t.Skip("by -dashboard.abuse alone")
	}
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	atObjects(w)
	s := serve(t, w)
	s.token = "a token that others do not have"
	robot, sensor := camera(t, w)
	listenToAll(t, s)
	t.Setenv(tokenVariable, s.token)
	end := startClient(t, "http://"+s.Addr().String(), robot+"/"+sensor)
	time.Sleep(2 * time.Second) // until all sockets are open
	var factors []float64
	for begun := time.Now(); time.Since(begun) < *abuseFor; {
		wall, sim := time.Now(), s.sim.Clock().Time()
		time.Sleep(time.Second)
		factors = append(factors, (s.sim.Clock().Time()-sim).Seconds()/time.Since(wall).Seconds())
	}
	told := end()
	mean := 0.0
	for _, f := range factors {
		mean += f / float64(len(factors))
	}
	t.Logf("real-time factor %.3f, least of a second %.3f; %s", mean, slices.Min(factors), told)
	if !(mean >= 0.97) {
		t.Errorf("the real-time factor is %.3f, want 0.97 at least", mean)
	}
	for _, want := range []string{"socket: 101 × 64", "wrong token: 401 × 20", "another origin: 403 × 20",
		"another host: 403 × 20", "huge command: 413"} {
		if !strings.Contains(told, want) {
			t.Errorf("want %s", want)
		}
	}
}
