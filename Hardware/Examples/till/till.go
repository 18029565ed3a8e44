// A till: orders an age check of countersignd, says what is going on, and ends with 0 for allow alone.
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
	"mayLift": "You can lift your phone now.", "checkBluetooth": "Is Bluetooth on, on your phone?",
	"hold":  "Leave your phone on the reader.",
	"allow": "Yes. You may sell.", "deny": "No. Do not sell.", "unclear": "Not proven. Check another document.",
	"declined": "The customer did not answer. Ask again or check another document.",
	"failed":   "It did not work. Try again.", "cancelled": "Cancelled.",
}

type answer struct {
	ID, State, Hint, Outcome, Detail string
	Reasons                          []string
}

func call(method, path string, body any) (*http.Response, error) {
	data, _ := json.Marshal(body)
	request, err := http.NewRequest(method, daemon()+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("COUNTERSIGN_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	return (&http.Client{Timeout: 40 * time.Second}).Do(request)
}

func daemon() string {
	if url := os.Getenv("COUNTERSIGN_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:8411"
}

// The presentation, or why it is refused; neither while the daemon is starting again. The same reference again, also after a
// crash, is the same presentation.
func order(reference, intent string) (presentation answer, refusal string) {
	response, err := call("POST", "/v1/presentations", map[string]string{"kind": "display", "intent": intent, "reference": reference})
	if err != nil || response.StatusCode >= 500 {
		return
	}
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&presentation)
	return presentation, presentation.Detail
}

// Says what is going on. The last event has the outcome, unless the connection ends before it.
func follow(id string) (event answer) {
	response, err := call("GET", "/v1/presentations/"+id+"/events", nil)
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
	intent := "age over 21"
	if len(os.Args) > 2 {
		intent = os.Args[2]
	}
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		presentation, refusal := order(os.Args[1], intent)
		if refusal != "" {
			fmt.Println(refusal)
			os.Exit(1)
		}
		if presentation.Outcome == "" && presentation.ID != "" {
			presentation = follow(presentation.ID)
		}
		if presentation.Outcome != "" {
			fmt.Println(say[presentation.Outcome], strings.Join(presentation.Reasons, " "))
			if presentation.Outcome == "allow" {
				return
			}
			os.Exit(1)
		}
	}
	fmt.Println("the daemon did not answer in time")
	os.Exit(1)
}
