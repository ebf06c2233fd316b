// Holds the simulation against what is known about it, as one table. See `usage`.
#include "core/parallel/parallel.h"
#include "tools/host/console.h"
#include "tools/host/threads_here.h"
#include "tools/physics/lammps_case.h"
#include "tools/physics/physics.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: tools/validate [CASE]... [--short] [--json] [--list] [--lammps HOW]\n"
    "\n"
    "Holds the simulation against textbooks and the literature: one row per quantity with what was measured, "
    "what it\n"
    "should be, the standard error, the tolerance, and whether it passes: |measured - reference| <= "
    "max(tolerance, 6\n"
    "standard errors), with a standard error below a third of the tolerance. Where chance takes part, a row "
    "has a twin: the\n"
    "same measured with an error planted on purpose, at least four tolerances large, which must fail. Seeds "
    "are fixed, so a\n"
    "row is the same in every run and on every machine.\n"
    "\n"
    "  CASE      only cases whose name begins so: eos, haff_0.9, ...; default: all\n"
    "  --short   about a minute instead of many; leaves out what takes long\n"
    "  --json    the rows as a list of objects, on stdout; nothing else is written there\n"
    "  --lammps HOW  where the numbers of LAMMPS come from: live (its program is run), kept (those in "
    "tests/data/lammps),\n"
    "            renew (it is run, and these are written anew), auto (default: live where lmp is found, "
    "else kept)\n"
    "  --list    names of the cases, and what they are about\n"
    "\n"
    "The exit status is 0 where all rows pass and all twins fail, else 5; 2: it was called wrongly; 1: it "
    "could not be done.\n";

typedef struct choice {
    bool brief, json, list;
    int lammps; ///< a qdi_lammps_way
    int names;  ///< of cases, in `argv`
    char **argv;
} choice;

static const qdi_case *const groups[] = {qdi_cases_state,  qdi_cases_cooling, qdi_cases_walls,
                                         qdi_cases_order,  qdi_cases_drives,  qdi_cases_hopper,
                                         qdi_cases_lammps, qdi_cases_elastic, NULL};

// Whether the command line asks for this case of the validation.
static bool case_is_chosen(const choice *asked, const qdi_case *one) {
    if (asked->names == 0) return !(asked->brief && one->long_only);
    for (int i = 0; i < asked->names; ++i) {
        if (strncmp(one->name, asked->argv[i], strlen(asked->argv[i])) == 0)
            return !(asked->brief && one->long_only && strcmp(one->name, asked->argv[i]) != 0);
    }
    return false;
}

// Does a range of the jobs of a validation case.
static void work_jobs(void *context, size_t begin, size_t end) {
    const qdi_plan *plan = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_job *job = &plan->jobs[i];
        uint64_t start = qdi_clock_ns();
        job->status = job->work(job, &job->error);
        job->seconds = 1e-9 * (double)(qdi_clock_ns() - start);
    }
}

/// Plans a case, does its jobs and adds its rows.
static qd_status run_case(const choice *asked, const qdi_case *one, qd_team *team, qdi_rows *rows) {
    qdi_plan plan = {.brief = asked->brief, .lammps = asked->lammps};
    one->plan(one, &plan);
    qd_status status = plan.status;
    uint64_t start = qdi_clock_ns();
    double busy = 0;
    if (status == QD_OK) qdi_team_for(team, plan.count, 1, work_jobs, &plan);
    for (size_t i = 0; status == QD_OK && i < plan.count; ++i) {
        busy += plan.jobs[i].seconds;
        status = plan.jobs[i].status;
        if (status != QD_OK)
            qdi_complain("%s: %s %s", one->name, qd_status_text(status), plan.jobs[i].error.text);
    }
    if (status == QD_OK) {
        size_t first = rows->count;
        one->judge(one, &plan, rows);
        if (!asked->json) {
            if (first == 0) qdi_report_head();
            qdi_report_rows(rows, first);
            printf("    %s: %.1f s, %.1f s of processors\n", one->name,
                   1e-9 * (double)(qdi_clock_ns() - start), busy);
        }
        status = rows->status;
    }
    qdi_plan_free(&plan);
    return status;
}

// Runs the chosen cases of the validation.
static qd_status run_chosen_cases(const choice *asked, qd_team *team, qdi_rows *rows, size_t *chosen) {
    qd_status status = QD_OK;
    for (const qdi_case *const *group = groups; *group; ++group) {
        for (const qdi_case *one = *group; status == QD_OK && one->name; ++one) {
            if (!case_is_chosen(asked, one)) continue;
            *chosen += 1;
            if (asked->list)
                printf("%-20s %s%s\n", one->name, one->about, one->long_only ? " (long)" : "");
            else
                status = run_case(asked, one, team, rows);
        }
    }
    return status;
}

/// Physics: what the table ends with; true where all is as it should be.
static bool conclude_validation(const choice *asked, const qdi_rows *rows) {
    size_t passed = 0, twins = 0, failed = 0;
    for (size_t i = 0; i < rows->count; ++i) {
        passed += rows->rows[i].pass;
        twins += rows->rows[i].planted[0] != '\0';
        failed += rows->rows[i].planted[0] != '\0' && rows->rows[i].twin_fails;
    }
    if (!asked->json)
        printf("%zu of %zu rows pass, %zu of %zu twins fail\n", passed, rows->count, failed, twins);
    return passed == rows->count && failed == twins;
}

// Runs the validation and prints its table.
static int validate_cases(const choice *asked) {
    qd_team_def def = qd_team_def_default();
    def.threads = qdi_threads_here(0, true).threads;
    qd_team *team = NULL;
    qdi_rows rows = {.rows = NULL};
    size_t chosen = 0;
    bool good = true;
    qd_status status = qd_team_create(&def, &team);
    if (status == QD_OK) {
        status = run_chosen_cases(asked, team, &rows, &chosen);
    }
    if (status == QD_OK && chosen > 0 && !asked->list) {
        good = conclude_validation(asked, &rows);
        if (asked->json) status = qdi_report_json(&rows);
    }
    qdi_rows_free(&rows);
    qd_team_destroy(team);
    if (status != QD_OK) {
        qdi_complain("%s", qd_status_text(status));
        return 1;
    }
    if (chosen == 0) {
        qdi_complain("no case has such a name; --list shows all");
        return 2;
    }
    return good ? 0 : 5;
}

// The program of the physical validation.
int main(int argc, char **argv) {
    choice asked = {.argv = argv + 1};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--short") == 0) {
            asked.brief = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            asked.json = true;
        } else if (strcmp(argv[i], "--list") == 0) {
            asked.list = true;
        } else if (strcmp(argv[i], "--lammps") == 0) {
            asked.lammps = i + 1 < argc ? qdi_lammps_way_of(argv[++i]) : -1;
            if (asked.lammps < 0) {
                qdi_complain("--lammps needs auto, live, kept or renew");
                return 2;
            }
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            (void)fputs(usage, stdout);
            return 0;
        } else if (argv[i][0] == '-') {
            qdi_complain("%s is not a flag of tools/validate; see --help", argv[i]);
            return 2;
        } else {
            asked.argv[asked.names++] = argv[i];
        }
    }
    return validate_cases(&asked);
}
