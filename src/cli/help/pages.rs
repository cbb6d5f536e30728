//! What stands where: the groups of options on a command's page, the topics, and the sections of commands.

/// A title, and the options (or commands) under it with commas between them, the most needed first.
pub(super) type Group = (&'static str, &'static str);

/// Options that several commands share, printed by `tiebreak help NAME` and not on their pages.
pub(super) struct Topic {
    pub name: &'static str,
    /// The line on the pages that refers to it.
    pub summary: &'static str,
    /// The command whose options it describes: a path such as `fit link`, empty for the program itself.
    pub source: &'static str,
    /// The pages that refer to it where they have one of its options; every page where there are none.
    pub pages: &'static [&'static str],
    pub groups: &'static [Group],
}

/// The topics, in the order in which pages refer to them.
pub(super) const TOPICS: [Topic; 7] = [
    Topic {
        name: "asking",
        summary: "how questions are chosen: bandits, limits, what a model may answer",
        source: "simulate",
        pages: &["simulate", "ask", "serve"],
        groups: &[
            ("Limits", "budget,hours,money,steps,confidence"),
            ("Which pairs", "bandit,eliminate,without_replacement"),
            (
                "What a model does",
                "predictions,model,mix,select,audit,sample,cache",
            ),
        ],
    },
    Topic {
        name: "ratings",
        summary: "campaigns of ratings: which outputs to rate, how precisely",
        source: "ask",
        pages: &["ask", "serve"],
        groups: &[("Ratings", "target_width,uncertainties,uniform,strata,pilot")],
    },
    Topic {
        name: "races",
        summary: "the best of prompts or models by scores that a program makes",
        source: "ask",
        pages: &["ask", "simulate"],
        groups: &[("Races by scores", "range,systems,top,epsilon,repeated")],
    },
    Topic {
        name: "models",
        summary: "how a model predicts, how a judge is asked",
        source: "predict",
        pages: &["predict", "judge", "simulate", "ask", "serve"],
        groups: &[
            ("Models", "draws,dropout,precision,order,calibration"),
            (
                "Judges",
                "endpoint,prompt,samples,max_cost,price,answers,concurrency",
            ),
        ],
    },
    Topic {
        name: "training",
        summary: "steps, rates and inputs of a training",
        source: "fit pairwise",
        pages: &["fit pairwise"],
        groups: &[
            (
                "Steps",
                "batch_size,learning_rate,warmup,layer_decay,weight_decay,clip",
            ),
            ("When it ends", "evaluations,patience"),
            (
                "Inputs",
                "template,max_length,synthetic,beside_unreferenced",
            ),
            ("State", "checkpoint_every"),
        ],
    },
    Topic {
        name: "data",
        summary: "data sets: other names of columns, words for outcomes",
        source: "check",
        pages: &[],
        groups: &[("Reading the data", "column,pick,outcome")],
    },
    Topic {
        name: "options",
        summary: "for every command: JSON, seed, threads, folders, devices",
        source: "",
        pages: &[],
        groups: &[
            ("Output", "json,quiet,force"),
            ("Numbers", "seed,threads"),
            ("Models", "device,models"),
            ("Memory and disk", "limit_memory,indexes,limit_indexes"),
            ("Help", "help,version,verbose"),
        ],
    },
];

/// The groups of a page's options. An option in none of them is in a last group, or in a topic.
pub(super) fn groups(path: &str) -> &'static [Group] {
    match path {
        "import" => &[
            ("Result", "out"),
            ("Files of another tool", "format,pick,criteria,outcome"),
            (
                "Text files, or a table with a column for each system",
                "reference,system,source,wide,column",
            ),
        ],
        "check" => &[("Reading the data", "column,pick,outcome")],
        "view" => &[
            ("Scores and verdicts", "scores,predictions"),
            ("One page", "page,query"),
            ("Server", "listen,print_links"),
        ],
        "score" => &[
            ("Scores", "metric,out,corpus,draws,shard"),
            (
                "Text files, as with sacrebleu",
                "input,reference,source,sentence_level,format,score_only,width",
            ),
            (
                "Paired tests, and the spread of scores",
                "paired_bs,paired_ar,baseline,confidence,resamples,trials",
            ),
        ],
        "predict" => &[
            ("Result", "out,pairs,keep_draws,shard"),
            ("A model", "model,draws,dropout,precision,order,calibration"),
            ("A metric instead", "scores,metric,link"),
        ],
        "judge" => &[
            (
                "The judge",
                "model,endpoint,prompt,samples,order,calibration",
            ),
            ("Cost", "max_cost,price,concurrency,answers,cache"),
            ("Batch files", "write_batch,read_batch"),
            ("Result", "out,pairs,keep_draws,shard"),
        ],
        "fit pairwise" => &[
            ("Result", "base,out,licence"),
            ("Data", "exclude,max_pairs,validation,ties"),
            ("Model", "head,epochs,calibrate,beside,quantise"),
        ],
        "simulate" => &[
            ("Replays", "runs,bandit,budget,confidence,out"),
            ("Predictions of a model", "predictions,model,mix,select"),
            (
                "A race by scores instead",
                "scores,metric,criterion,range,method",
            ),
            ("Variants", "systems,without_replacement,as_campaign,delay"),
        ],
        "ask" => &[
            ("Questions", "out,n,again,task,page,form"),
            (
                "Annotators",
                "annotators,anew,panel,annotator,overlap,per_question",
            ),
            ("Claims", "budget,confidence,people,items,skips"),
            ("A model's hint", "predictions,model"),
        ],
        "serve" => &[
            (
                "Annotators",
                "annotators,anew,open,n,task,code,overlap,per_question",
            ),
            ("Server", "listen,public_url,print_links"),
            ("Claims", "budget,confidence,people,items,skips"),
            ("A model's hint", "predictions,model"),
        ],
        "estimate" => &[
            ("Estimates", "criterion,differences,confidence,range,out"),
            ("Metrics", "scores,metric,estimator"),
            ("Planning", "target_width,stop"),
            ("Chosen outputs", "strata,probabilities"),
            ("Claims", "people,items,cluster"),
            ("Annotators", "min_seconds,min_agreement,min_edit,parts"),
        ],
        "plan" => &[
            ("Goal", "width,difference,power,confidence"),
            ("Variances", "range,criterion,signal,noise,tastes"),
            ("A metric's help", "scores,metric,rho"),
            ("Design", "annotators,repeats,people,items"),
        ],
        _ => &[],
    }
}

/// The commands in sections, by what one needs. A command in none of them is in a last section.
pub(super) const SECTIONS: [Group; 6] = [
    ("Start here", "demo,import,check,view,export"),
    (
        "Compare systems, with people",
        "rank,simulate,ask,serve,tell,people",
    ),
    (
        "Rate systems, with people",
        "estimate,plan,annotators,correlate",
    ),
    ("Metrics and models", "score,predict,judge,fit,assess"),
    ("Automate", "run,gate,report"),
    ("About the program", "list,help,completions,man"),
];

/// What the program prints without arguments.
pub(in crate::cli) const FIRST_PAGE: &str = "\
tiebreak finds out which text-generation system is best, with few human judgments.

  tiebreak demo                             see it work on real data: a minute, no network
  tiebreak import votes.jsonl --out mine    turn your own files into a data set
  tiebreak rank mine                        which system is best, by the comparisons you have
  tiebreak serve run mine                   ask people in their browsers, until it is proved

  tiebreak help                             all commands
  tiebreak help rank                        one command, with examples
";
