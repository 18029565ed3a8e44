// A till: orders an age check of countersignd, shows what happens, and ends with 0 only for allow.
//
//	COUNTERSIGN_TOKEN=… go run till.go REFERENCE [INTENT]
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

var say = map[string]string{
	"armed": "Open your ID, then hold your phone to the reader.", "engaged": "Connecting to your phone …",
	"awaitingConsent": "Confirm on your phone.", "receiving": "Receiving …",
	"awaitingDecision": "Compare the portrait on the clerk's page.",
	"phoneLocked":      "Unlock your phone and open your ID.", "notAnID": "That is not an ID. Open your ID on your phone.",
	"tapAgain": "Lift your phone, then tap again.", "offerQR": "Or show the QR code of your ID.",
	"codeNotAnID":    "That code is not an ID. Show the QR code of your ID.",
	"codeOfReader":   "That is the code of a reader. Show the code of your own phone.",
	"codeUnreadable": "That code cannot be used. Open your QR code again.",
	"mayLift":        "You can lift your phone now.", "checkBluetooth": "Is Bluetooth on, on your phone?",
	"hold": "Leave your phone on the reader.", "connecting": "Connecting to your phone …",
	"confirmThenTapAgain":  "Confirm on your phone, then tap again.",
	"bluetoothUnavailable": "Hold your phone to the reader, and leave it there.",
	"allow":                "Yes. You may sell.", "deny": "Not accepted. Check another document.", "unclear": "Not proven. Check another document.",
	"declined":  "Nothing was shared: declined, no such document, or a wallet that does not know this reader. Check another document.",
	"failed":    "No answer. Begin a new check, or check another document.",
	"cancelled": "The check was cancelled. Do not sell.",
}

var why = []struct{ outcome, reasons, words string }{
	{"deny", "answer.no decision.rejected", "No. Do not sell."},
	{"deny", "revocation", "This document was withdrawn. Check another document."},
	{"deny", "validity", "The document is not valid now. Refresh it on the phone, then begin a new check."},
	{"deny", "session.decryption response.status device_authentication key_authorizations request_match", "The check failed. Begin a new check, once."},
	{"unclear", "element.not_returned", "Something was not shared. Check again and share it all, or check another document."},
	{"unclear", "answer.unknown", "Not proven. Check another document."},
	{"unclear", "decision.overdue decision.dismissed", "Nobody decided. Check again."},
	{"failed", "reader.unavailable radio.unavailable", "The reader is not there. Call whoever looks after it."},
}

// The words of the highest row that matches; if a reason is in no row, the words of the outcome.
func words(outcome string, reasons []string) string {
	best := len(why)
	for _, reason := range reasons {
		row := 0
		for row < len(why) && !(why[row].outcome == outcome && strings.Contains(" "+why[row].reasons+" ", " "+reason+" ")) {
			row++
		}
		if row < best {
			best = row
		}
		if row == len(why) {
			return say[outcome]
		}
	}
	if best == len(why) {
		return say[outcome]
	}
	return why[best].words
}

// A call that takes longer is made again.
const silence = 40 * time.Second

type answer struct {
	ID, State, Hint, Outcome, Detail string
	Test                             bool
	Reasons                          []string
}

func call(method, path string, body any, most time.Duration) (*http.Response, error) {
	data, _ := json.Marshal(body)
	request, err := http.NewRequest(method, daemon()+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("COUNTERSIGN_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	return (&http.Client{Timeout: most}).Do(request)
}

func daemon() string {
	if url := os.Getenv("COUNTERSIGN_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8411"
}

// After this time the till ends the check.
func patience() time.Duration {
	if seconds, err := time.ParseDuration(os.Getenv("COUNTERSIGN_SECONDS") + "s"); err == nil {
		return seconds
	}
	return 10 * time.Minute
}

// Returns the presentation, or in Detail the reason of a refusal, and whether the refusal is final; nothing while the daemon
// restarts. The same reference returns the same presentation, also after a crash.
func order(reference, intent string) (presentation answer, isFinal bool) {
	response, err := call("POST", "/v1/presentations", map[string]string{"kind": "display", "intent": intent, "reference": reference}, silence)
	if err != nil {
		return
	}
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&presentation)
	return presentation, response.StatusCode < 500 && response.Header.Get("Retry-After") == ""
}

// Ends the presentation: the customer is no longer asked. The answer has the outcome, even one that came just now.
func cancel(id string) (presentation answer) {
	response, err := call("DELETE", "/v1/presentations/"+id, nil, silence)
	if err != nil {
		return
	}
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&presentation)
	return
}

// Shows what happens. The last event has the outcome, unless the connection or the time ends before it.
func follow(id string, left time.Duration) (event answer) {
	if left > silence {
		left = silence
	}
	response, err := call("GET", "/v1/presentations/"+id+"/events", nil, left)
	if err != nil {
		return
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		event = answer{}
		if data := strings.TrimPrefix(lines.Text(), "data:"); data != lines.Text() && json.Unmarshal([]byte(data), &event) == nil {
			if event.Outcome != "" {
				return
			}
			words := say[event.Hint]
			if words == "" {
				words = say[event.State]
			}
			fmt.Println(words)
		}
	}
	return answer{}
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 || os.Getenv("COUNTERSIGN_TOKEN") == "" {
		fmt.Fprintln(os.Stderr, "usage: COUNTERSIGN_TOKEN=… till REFERENCE [INTENT]")
		os.Exit(64)
	}
	intent := "age over 21"
	if len(os.Args) > 2 {
		intent = os.Args[2]
	}
	said := ""
	for end := time.Now().Add(patience()); time.Until(end) > -30*time.Second; time.Sleep(time.Second) {
		presentation, isFinal := order(os.Args[1], intent)
		if presentation.Detail != "" {
			if said != presentation.Detail { // The lane is busy, or the daemon cannot take the order now.
				said = presentation.Detail
				fmt.Println(said)
			}
			if isFinal {
				os.Exit(1)
			}
		}
		if presentation.ID != "" && presentation.Outcome == "" {
			if left := time.Until(end); left > 0 {
				presentation = follow(presentation.ID, left)
			} else {
				presentation = cancel(presentation.ID)
			}
		}
		if presentation.Outcome != "" {
			said := []string{words(presentation.Outcome, presentation.Reasons)}
			if presentation.Test {
				said = append(said, "(test document)")
			}
			fmt.Println(strings.Join(append(said, presentation.Reasons...), " "))
			if presentation.Outcome == "allow" {
				return
			}
			os.Exit(1)
		}
	}
	fmt.Println("The daemon did not answer in time. The check may still be open: order again with the same reference.")
	os.Exit(1)
}
